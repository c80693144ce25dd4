import { createContext, useContext } from 'react'
import type { Outcome, Refusal } from '../protocol.ts'
import type { Client } from './api.ts'
import type { PageEvent, PageState } from './state.ts'

/** What every part of the page may read and do. */
export interface PageValue {
  state: PageState
  client: Client
  dispatch: (event: PageEvent) => void
}

export const PageContext = createContext<PageValue | undefined>(undefined)

export function usePage(): PageValue {
  const page = useContext(PageContext)
  if (!page) throw new Error('This part of the page is drawn before the page is there.')
  return page
}

/**
 * What the page itself must say about a failed post. An `Outcome` is told by the server, where it belongs (in the
 * channel, on the message, in the modal); a refused or unanswered post is told by nobody else.
 */
export function untold(outcome: Outcome | Refusal | { ok: true }): string | undefined {
  return outcome.ok || 'seq' in outcome ? undefined : outcome.message
}
