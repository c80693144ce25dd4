import { useEffect, useMemo, useReducer, useState } from 'react'
import { type Client, createClient, followEvents, loadSnapshot, sendTimeZone } from './api.ts'
import { type PageEvent, type PageState, pageReducer } from './state.ts'
import { loadTabState, saveTabState, shouldOpenHostPanel } from './tab-state.ts'

const RETRY_MS = 1500
const USER_KEY = 'signalman.user'

export interface PlaygroundPage {
  state: PageState | undefined
  client: Client | undefined
  dispatch: (event: PageEvent) => void
  actAs: (user: string) => void
  /** False while the page tries to reconnect to the server. */
  connected: boolean
}

/** Loads the page's state, and updates it from the server's event stream. If the connection is lost, loads a new snapshot. */
export function usePlayground(): PlaygroundPage {
  const [state, dispatch] = useReducer(pageReducer, undefined)
  const [requestedUser, setRequestedUser] = useState(() => sessionStorage.getItem(USER_KEY) ?? undefined)
  const [attempt, setAttempt] = useState(0)
  const [connected, setConnected] = useState(true)

  // biome-ignore lint/correctness/useExhaustiveDependencies: changing `attempt` connects again
  useEffect(() => {
    const stopped = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const restart = (afterMs: number) => {
      timer = setTimeout(() => setAttempt((count) => count + 1), afterMs)
    }
    const onLost = () => {
      if (stopped.signal.aborted) return
      setConnected(false)
      restart(RETRY_MS)
    }
    const start = async () => {
      await sendTimeZone()
      const snapshot = await loadSnapshot(requestedUser, stopped.signal)
      if (stopped.signal.aborted) return
      dispatch({
        type: 'snapshot',
        snapshot,
        savedTab: loadTabState(),
        opensHostPanel: shouldOpenHostPanel(),
      })
      setConnected(true)
      await followEvents(snapshot.me.id, snapshot.seq, dispatch, stopped.signal)
      if (!stopped.signal.aborted) restart(0)
    }
    start().catch(onLost)
    return () => {
      stopped.abort()
      clearTimeout(timer)
    }
  }, [requestedUser, attempt])

  const { route, thread, panel } = state ?? {}
  const me = state?.snapshot.me.id
  useEffect(() => {
    if (me !== undefined && route && thread !== undefined && panel !== undefined)
      saveTabState({ user: me, route, thread, panel })
  }, [me, route, thread, panel])

  const client = useMemo(() => (me === undefined ? undefined : createClient(me)), [me])
  const actAs = (user: string) => {
    sessionStorage.setItem(USER_KEY, user)
    setRequestedUser(user)
  }
  return { state, client, dispatch, actAs, connected }
}
