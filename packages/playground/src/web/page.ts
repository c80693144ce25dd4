import { type Context, createContext, useContext } from 'react'
import type { Outcome, Refusal } from '../protocol.ts'
import type { Client } from './api.ts'
import type { PageEvent, PageState } from './state.ts'

/** What every part of the page can do. The same object while the page acts as the same person. */
export interface Actions {
  client: Client
  dispatch: (event: PageEvent) => void
}

export const ActionsContext = createContext<Actions | undefined>(undefined)
export const StateContext = createContext<PageState | undefined>(undefined)

/** The page around a part of it; rendering the part elsewhere is a mistake. */
export function useInside<T>(context: Context<T | undefined>): T {
  const value = useContext(context)
  if (value === undefined) throw new Error('This part of the page is drawn outside of what it needs.')
  return value
}

/** For parts that do things without showing the page's state: they don't render again with every event. */
export function useActions(): Actions {
  return useInside(ActionsContext)
}

export function usePage(): Actions & { state: PageState } {
  return { state: useInside(StateContext), ...useActions() }
}

/** Shows a sentence if a post failed and nothing else says so. */
export function useShowFailure(): (outcome: Outcome | Refusal | { ok: true }) => void {
  const { dispatch } = useActions()
  return (outcome) => {
    const text = failureText(outcome)
    if (text !== undefined) dispatch({ type: 'notice', text, cause: null })
  }
}

/**
 * What the page itself must say about a failed post. The server reports an `Outcome` where it belongs (in the channel, on the
 * message, in the modal); nobody else reports a refused or unanswered post.
 */
export function failureText(outcome: Outcome | Refusal | { ok: true }): string | undefined {
  return outcome.ok || 'seq' in outcome ? undefined : outcome.message
}
