import { useCallback, useEffect, useState } from 'react'
import type { PanelAnswer } from '../protocol/answers.ts'
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
  const openAnswer = ({ channel, draft }: PanelAnswer) => {
    const openChannel = route.kind === 'channel' ? route.id : snapshot.channels[0]?.id
    // A guest may not see the channel.
    const id = snapshot.channels.find((candidate) => candidate.id === channel)?.id ?? openChannel
    if (id === undefined) return
    if (channel === id) dispatch({ type: 'navigate', route: { kind: 'channel', id } })
    if (draft !== undefined) dispatch({ type: 'draft', draft: { channel: id, text: draft } })
  }
  const sendAction = async (_blockId: string, actionId: string, value?: PostBody<'panel'>['value']) => {
    setStatusText('…')
    const response = await refresh({ actionId, ...(value !== undefined && { value }) })
    setStatusText(response.ok ? (response.statusText ?? '') : response.message)
    if (response.ok) openAnswer(response)
  }
  return (
    <Panel title={name} closeLabel={`Close ${name}`} bodyLabel={`Content of ${name}`} className="narrower">
      <div>
        <p role="status" className="panel-status">
          {statusText}
        </p>
        <SurfaceContext value={{ ...READ_ONLY_SURFACE, sendAction }}>
          <Blocks blocks={blocks} />
        </SurfaceContext>
      </div>
    </Panel>
  )
}
