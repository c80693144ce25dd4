import { useCallback, useEffect, useState } from 'react'
import type { Block, Post } from '../protocol.ts'
import { Blocks } from './blocks/block.tsx'
import { usePage } from './page.ts'
import { Panel } from './panel.tsx'
import { INERT, SurfaceContext } from './surface.ts'

const AGAIN_MS = 2000

/** A panel of the program that started the playground. It is refreshed while it is open and the window is visible. */
export function HostPanel({ name }: { name: string }) {
  const { state, client, dispatch } = usePage()
  const [blocks, setBlocks] = useState<Block[]>([])
  const [said, setSaid] = useState('')
  const { spot, snapshot } = state
  const ask = useCallback(
    async (pressed?: Pick<Post<'panel'>, 'actionId' | 'value'>) => {
      const answer = await client.panel({ name, ...pressed })
      // Renders only changed blocks, because rendering closes open menus.
      if (answer.ok)
        setBlocks((before) =>
          JSON.stringify(before) === JSON.stringify(answer.blocks) ? before : answer.blocks,
        )
      return answer
    },
    [client, name],
  )
  useEffect(() => {
    void ask()
    const timer = setInterval(() => document.visibilityState === 'visible' && void ask(), AGAIN_MS)
    return () => clearInterval(timer)
  }, [ask])
  const act = async (_blockId: string, actionId: string, value?: Post<'panel'>['value']) => {
    setSaid('…')
    const answer = await ask({ actionId, ...(value !== undefined && { value }) })
    setSaid(answer.ok ? (answer.text ?? '') : answer.message)
    if (!answer.ok || answer.type === undefined) return
    const channel = spot.kind === 'channel' ? spot.id : snapshot.channels[0]?.id
    if (channel !== undefined) dispatch({ type: 'draft', draft: { channel, text: answer.type } })
  }
  return (
    <Panel title={name} closing={`Close ${name}`} scrolls={`Content of ${name}`} className="narrower">
      <div>
        <p role="status">{said}</p>
        <SurfaceContext value={{ ...INERT, act }}>
          <Blocks blocks={blocks} />
        </SurfaceContext>
      </div>
    </Panel>
  )
}
