import { useCallback, useEffect, useState } from 'react'
import type { Block, PostBody } from '../protocol.ts'
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
      const answer = await client.panel({ name, ...action })
      // Keeps unchanged blocks, because rendering new ones closes open menus.
      if (answer.ok)
        setBlocks((before) =>
          JSON.stringify(before) === JSON.stringify(answer.blocks) ? before : answer.blocks,
        )
      return answer
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
    const answer = await refresh({ actionId, ...(value !== undefined && { value }) })
    setStatusText(answer.ok ? (answer.statusText ?? '') : answer.message)
    if (!answer.ok || answer.draft === undefined) return
    const channel = route.kind === 'channel' ? route.id : snapshot.channels[0]?.id
    if (channel !== undefined) dispatch({ type: 'draft', draft: { channel, text: answer.draft } })
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
