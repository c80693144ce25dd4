import { type Context, createContext, useContext } from 'react'
import type { Outcome, Refusal } from '../protocol.ts'
import type { Client } from './api.ts'
import type { PageEvent, PageState } from './state.ts'

/** What every part of the page may do: the same for as long as one is the same person. */
export interface Actions {
  client: Client
  dispatch: (event: PageEvent) => void
}

export const ActionsContext = createContext<Actions | undefined>(undefined)
export const StateContext = createContext<PageState | undefined>(undefined)

/** What a part of the page stands in: whatever draws it elsewhere is wrong. */
export function useInside<T>(context: Context<T | undefined>): T {
  const value = useContext(context)
  if (value === undefined) throw new Error('This part of the page is drawn outside of what it needs.')
  return value
}

/** For parts that do things and show nothing of the page's state: they are not drawn anew with every event. */
export function useActions(): Actions {
  return useInside(ActionsContext)
}

export function usePage(): Actions & { state: PageState } {
  return { state: useInside(StateContext), ...useActions() }
}

/** Shows a sentence when a post came to nothing that is told elsewhere. */
export function useTell(): (outcome: Outcome | Refusal | { ok: true }) => void {
  const { dispatch } = useActions()
  return (outcome) => {
    const text = untold(outcome)
    if (text !== undefined) dispatch({ type: 'notice', text, cause: null })
  }
}

/**
 * What the page itself must say about a failed post. An `Outcome` is told by the server, where it belongs (in the
 * channel, on the message, in the modal); a refused or unanswered post is told by nobody else.
 */
export function untold(outcome: Outcome | Refusal | { ok: true }): string | undefined {
  return outcome.ok || 'seq' in outcome ? undefined : outcome.message
}
