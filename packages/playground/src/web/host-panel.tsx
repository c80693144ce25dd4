import { useCallback, useEffect, useState } from 'react'
import type { Block, PostBody } from '../protocol/protocol.ts'
import { Blocks } from './blocks/block.tsx'
import { usePage } from './page.ts'
import { Panel } from './panel.tsx'
import { READ_ONLY_SURFACE, SurfaceContext } from './surface.ts'

const REFRESH_MS = 2000

/** A panel whose blocks come from the host, the program that started the playground. It refreshes while the window is visible. */
export function HostPanel({ name }: { name: string }) {
  const { state, client, dispatch } = usePage()
  const [blocks, setBlocks] = useState<Block[]>([])
  const [statusText, setStatusText] = useState('')
  const { route, snapshot } = state
  const refresh = useCallback(
    async (action?: Pick<PostBody<'panel'>, 'actionId' | 'value'>) => {
      const response = await client.panel({ name, ...action })
      // Keeps the old array if nothing changed, because a new one would close open menus.
      if (response.ok)
        setBlocks((before) =>
          JSON.stringify(before) === JSON.stringify(response.blocks) ? before : response.blocks,
        )
      return response
    },
    [client, name],
  )
  useEffect(() => {
    void refresh()
    const timer = setInterval(() => document.visibilityState === 'visible' && void refresh(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [refresh])
  const sendAction = async (_blockId: string, actionId: string, value?: PostBody<'panel'>['value']) => {
    setStatusText('…')
    const response = await refresh({ actionId, ...(value !== undefined && { value }) })
    setStatusText(response.ok ? (response.statusText ?? '') : response.message)
    if (!response.ok || response.draft === undefined) return
    const channel = route.kind === 'channel' ? route.id : snapshot.channels[0]?.id
    if (channel !== undefined) dispatch({ type: 'draft', draft: { channel, text: response.draft } })
  }
  return (
    <Panel title={name} closeLabel={`Close ${name}`} bodyLabel={`Content of ${name}`} className="narrower">
      <div>
        <p role="status">{statusText}</p>
        <SurfaceContext value={{ ...READ_ONLY_SURFACE, sendAction }}>
          <Blocks blocks={blocks} />
        </SurfaceContext>
      </div>
    </Panel>
  )
}
