import { useEffect, useMemo, useReducer, useState } from 'react'
import type { PlaygroundEvent } from '../protocol.ts'
import { type Client, createClient, loadSnapshot, openStream, sendTimeZone } from './api.ts'
import { drawTimesIn } from './chat/when.ts'
import { hasRoomFirst, recall, remember } from './memory.ts'
import { messageAt, type PageEvent, type PageState, reduce } from './state.ts'

const RETRY_MS = 1500
const REMEMBERED = 'signalman.user'

export interface Page {
  state: PageState | undefined
  client: Client | undefined
  dispatch: (event: PageEvent) => void
  actAs: (user: string) => void
  /** False while the server doesn't answer; the page keeps trying. */
  connected: boolean
}

/** A request, its answer, and the message that it causes arrive within this time, and are rendered once. */
const TOGETHER_MS = 20

function createBatch(flush: (events: readonly PlaygroundEvent[]) => void) {
  let waiting: PlaygroundEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    add(event: PlaygroundEvent): void {
      waiting.push(event)
      timer ??= setTimeout(() => {
        const events = waiting
        waiting = []
        timer = undefined
        flush(events)
      }, TOGETHER_MS)
    },
    drop: () => clearTimeout(timer),
  }
}

/** The page's state, updated by the server's stream; after a lost connection, the snapshot is read again. */
export function usePlayground(): Page {
  const [state, dispatch] = useReducer(reduce, undefined)
  const [wanted, setWanted] = useState(() => sessionStorage.getItem(REMEMBERED) ?? undefined)
  const [attempt, setAttempt] = useState(0)
  const [connected, setConnected] = useState(true)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt is what starts it again
  useEffect(() => {
    const stopped = new AbortController()
    let close = () => {}
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = (afterMs: number) => {
      timer = setTimeout(() => setAttempt((count) => count + 1), afterMs)
    }
    const lost = () => {
      if (stopped.signal.aborted) return
      setConnected(false)
      again(RETRY_MS)
    }
    const start = async () => {
      await sendTimeZone()
      const snapshot = await loadSnapshot(wanted, stopped.signal)
      if (stopped.signal.aborted) return
      drawTimesIn(snapshot.me.tz)
      dispatch({ type: 'snapshot', snapshot, memory: recall(), isNew: hasRoomFirst() })
      setConnected(true)
      const at = messageAt(window.location.href, window.location.origin)
      if (at) dispatch({ type: 'follow', ...at })
      // A reload, or a change of person, doesn't go there again.
      if (at) window.history.replaceState(null, '', '/')
      const batch = createBatch((events) => dispatch({ type: 'server', events }))
      const stream = openStream(
        snapshot.me.id,
        snapshot.seq,
        (event) => (event.type === 'reset' ? again(0) : batch.add(event)),
        lost,
      )
      close = () => {
        stream()
        batch.drop()
      }
    }
    start().catch(lost)
    return () => {
      stopped.abort()
      clearTimeout(timer)
      close()
    }
  }, [wanted, attempt])

  const { spot, thread, panel } = state ?? {}
  const me = state?.snapshot.me.id
  useEffect(() => {
    if (me !== undefined && spot && thread !== undefined && panel !== undefined)
      remember({ user: me, spot, thread, panel })
  }, [me, spot, thread, panel])

  const client = useMemo(() => (me === undefined ? undefined : createClient(me)), [me])
  const actAs = (user: string) => {
    sessionStorage.setItem(REMEMBERED, user)
    setWanted(user)
  }
  return { state, client, dispatch, actAs, connected }
}
