import { type Context, createContext, useContext } from 'react'
import type { ErrorResponse, Outcome } from '../protocol/protocol.ts'
import type { Client } from './api.ts'
import type { PageEvent, PageState } from './state.ts'

/** The HTTP client and the dispatch function for all components. The same object until the page switches to another person. */
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

/** Use this instead of `usePage` in components that don't need the page's state, so that they don't render again on every event. */
export function useActions(): Actions {
  return useRequiredContext(ActionsContext)
}

export function usePage(): Actions & { state: PageState } {
  return { state: useRequiredContext(StateContext), ...useActions() }
}

/** Returns a function that shows a notice if a post failed and the server doesn't show the failure itself. */
export function useShowFailure(): (outcome: Outcome | ErrorResponse | { ok: true }) => void {
  const { dispatch } = useActions()
  return (outcome) => {
    const text = failureText(outcome)
    if (text !== undefined) dispatch({ type: 'notice', text })
  }
}

/**
 * The error message that the page must show for a failed post. Undefined for a failed `Outcome` (an error of the app), because the
 * server has already shown that in the channel, on the message, or in the modal.
 */
export function failureText(outcome: Outcome | ErrorResponse | { ok: true }): string | undefined {
  return outcome.ok || 'seq' in outcome ? undefined : outcome.message
}
