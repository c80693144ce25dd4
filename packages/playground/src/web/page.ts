import { type Context, createContext, useContext } from 'react'
import type { Outcome, Refusal } from '../protocol.ts'
import type { Client } from './api.ts'
import type { PageEvent, PageState } from './state.ts'

/** The functions that every component can use. The object stays the same until the acting person changes. */
export interface Actions {
  client: Client
  dispatch: (event: PageEvent) => void
}

export const ActionsContext = createContext<Actions | undefined>(undefined)
export const StateContext = createContext<PageState | undefined>(undefined)

/** Reads a context. Throws if the component is rendered outside of its provider. */
export function useRequiredContext<T>(context: Context<T | undefined>): T {
  const value = useContext(context)
  if (value === undefined) throw new Error('This component was rendered outside of its provider.')
  return value
}

/** For components that don't show the page's state. They don't render again on every event. */
export function useActions(): Actions {
  return useRequiredContext(ActionsContext)
}

export function usePage(): Actions & { state: PageState } {
  return { state: useRequiredContext(StateContext), ...useActions() }
}

/** Returns a function that shows a notice if a post failed and the server doesn't show the failure itself. */
export function useShowFailure(): (outcome: Outcome | Refusal | { ok: true }) => void {
  const { dispatch } = useActions()
  return (outcome) => {
    const text = failureText(outcome)
    if (text !== undefined) dispatch({ type: 'notice', text, cause: null })
  }
}

/**
 * The error message that the page must show for a failed post. The server shows a failed `Outcome` where it belongs: in the channel, on
 * the message, or in the modal. The page shows posts that the server rejected or didn't answer.
 */
export function failureText(outcome: Outcome | Refusal | { ok: true }): string | undefined {
  return outcome.ok || 'seq' in outcome ? undefined : outcome.message
}
