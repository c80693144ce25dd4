import { createId, createSecret, deleteOldest } from '../protocol/ids.ts'

const URL_LIFETIME_MS = 30 * 60_000
const MAX_URL_USES = 5
const MAX_TICKETS = 2000

export interface Trigger {
  user: string
  /** The modal or App Home that the person used. */
  viewId: string | null
  /** The ID of the request to the app that contains the trigger. */
  cause: string
}

export interface ResponseUrl {
  user: string
  channel: string
  /** The message that the person used, which `replace_original` replaces. */
  original: string | null
  threadTs: string | null
  cause: string
}

type TriggerError = 'invalid_trigger_id' | 'expired_trigger_id' | 'exchanged_trigger_id'
export type Tickets = ReturnType<typeof createTickets>

/**
 * Issues and redeems the short-lived IDs and URLs with which an app responds to people. A `trigger_id` opens one view within
 * `triggerLifeMs` (in Slack, 3 s), and a `response_url` accepts 5 responses within 30 minutes.
 * (https://docs.slack.dev/interactivity/handling-user-interaction, November 2026)
 */
export function createTickets(now: () => Date, triggerLifeMs: number) {
  const triggers = new Map<string, Trigger & { issuedMs: number; used: boolean }>()
  const urls = new Map<string, ResponseUrl & { issuedMs: number; uses: number }>()

  return {
    issueTrigger(trigger: Trigger): string {
      const id = `${now().getTime()}.${createId('').slice(0, 8)}.${createSecret()}`
      triggers.set(id, { ...trigger, issuedMs: now().getTime(), used: false })
      deleteOldest(triggers, MAX_TICKETS)
      return id
    },

    /** Marks a trigger as used and returns it, or returns Slack's error. */
    redeemTrigger(id: string): Trigger | TriggerError {
      const trigger = triggers.get(id)
      if (!trigger) return 'invalid_trigger_id'
      if (trigger.used) return 'exchanged_trigger_id'
      if (now().getTime() - trigger.issuedMs > triggerLifeMs) return 'expired_trigger_id'
      trigger.used = true
      return trigger
    },

    /** Issues a `response_url`. Returns its path, `/hooks/…`. */
    issueResponsePath(kind: 'commands' | 'actions' | 'app', teamId: string, target: ResponseUrl): string {
      const path = `/hooks/${kind}/${teamId}/${now().getTime()}/${createSecret(12)}`
      urls.set(path, { ...target, issuedMs: now().getTime(), uses: 0 })
      deleteOldest(urls, MAX_TICKETS)
      return path
    },

    /** Returns the target of a `response_url`, or Slack's error. */
    findResponseTarget(path: string): ResponseUrl | 'no_service' | 'expired_url' | 'used_url' {
      const url = urls.get(path)
      if (!url) return 'no_service'
      if (now().getTime() - url.issuedMs > URL_LIFETIME_MS) return 'expired_url'
      return url.uses >= MAX_URL_USES ? 'used_url' : url
    },

    /** Counts a use of a `response_url`. */
    countResponse(path: string): void {
      const url = urls.get(path)
      if (url) url.uses += 1
    },
  }
}
