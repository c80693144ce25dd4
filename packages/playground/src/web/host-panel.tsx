import { useCallback, useEffect, useRef, useState } from 'react'
import type { PanelAnswer } from '../protocol/answers.ts'
import type { Block, PostBody } from '../protocol/protocol.ts'
import { Blocks } from './blocks/block.tsx'
import { Button } from './button.tsx'
import { usePage } from './page.ts'
import { Panel } from './panel.tsx'
import { READ_ONLY_SURFACE, SurfaceContext } from './surface.ts'
import { NARROW, useMedia } from './use-media.ts'

const REFRESH_MS = 2000

/**
 * A panel whose blocks come from the host, the program that started the playground. It refreshes while the window is visible. In narrow
 * windows, an answer about a channel folds it, so that the conversation has the room.
 */
export function HostPanel({ name }: { name: string }) {
  const { state, client, dispatch } = usePage()
  const [blocks, setBlocks] = useState<Block[]>([])
  const [statusText, setStatusText] = useState('')
  const [wasAnswered, setAnswered] = useState(false)
  const isFolded = useMedia(NARROW) && wasAnswered
  const unfold = useRef<HTMLButtonElement>(null)
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
    if (!response.ok) return
    openAnswer(response)
    setAnswered(response.channel !== undefined || response.draft !== undefined)
  }
  // The button that was pressed is gone, and a draft has moved the focus to the message field.
  useEffect(() => {
    if (isFolded && document.activeElement === document.body) unfold.current?.focus()
  }, [isFolded])
  return (
    <Panel
      title={name}
      closeLabel={`Close ${name}`}
      bodyLabel={`Content of ${name}`}
      className={isFolded ? 'narrower folded' : 'narrower'}
    >
      <div>
        <p role="status" className="panel-status">
          {statusText}
        </p>
        {isFolded ? (
          <Button ref={unfold} onClick={() => setAnswered(false)}>
            Show everything
          </Button>
        ) : (
          <SurfaceContext value={{ ...READ_ONLY_SURFACE, sendAction }}>
            <Blocks blocks={blocks} />
          </SurfaceContext>
        )}
      </div>
    </Panel>
  )
}
