import { createId, createSecret, forgetOldest } from './ids.ts'

const URL_LIFE_MS = 30 * 60_000
const URL_USES = 5
const KEPT = 2000

export interface Trigger {
  user: string
  /** The modal, or Home, that it was pressed in. */
  viewId: string | null
  /** The channel that the person was in. */
  conversation: string | null
  /** The delivery that contained it. */
  cause: string
  /** The external ID of the work object whose pane it can fill. */
  entity?: string
}

export interface ResponseUrl {
  user: string
  channel: string
  /** The message that was used: what `replace_original` and `delete_original` affect. */
  original: string | null
  threadTs: string | null
  cause: string
}

/** Addresses that someone has shared, which the app can unfurl. */
export interface Unfurl {
  channel: string
  ts: string
  user: string
  urls: readonly string[]
}

export type TriggerError = 'invalid_trigger_id' | 'expired_trigger_id' | 'exchanged_trigger_id'
export type Tickets = ReturnType<typeof createTickets>

/**
 * Slack's two kinds of permission: a `trigger_id` opens one view within 3 s (`triggerLifeMs`); a `response_url` accepts 5 answers
 * within 30 minutes. (https://docs.slack.dev/interactivity/handling-user-interaction, November 2026)
 */
export function createTickets(now: () => Date, triggerLifeMs: number) {
  const triggers = new Map<string, Trigger & { bornMs: number; used: boolean }>()
  const urls = new Map<string, ResponseUrl & { bornMs: number; uses: number }>()
  const unfurls = new Map<string, Unfurl>()

  return {
    issueTrigger(trigger: Trigger): string {
      const id = `${now().getTime()}.${createId('').slice(0, 8)}.${createSecret()}`
      triggers.set(id, { ...trigger, bornMs: now().getTime(), used: false })
      forgetOldest(triggers, KEPT)
      return id
    },

    issueUnfurl(unfurl: Unfurl): string {
      const id = `${unfurl.ts ? `${unfurl.channel}.${unfurl.ts}` : unfurl.user}.${createSecret()}`
      unfurls.set(id, unfurl)
      forgetOldest(unfurls, KEPT)
      return id
    },

    unfurlOf: (id: string): Unfurl | undefined => unfurls.get(id),

    entityOf: (id: string): string | undefined => triggers.get(id)?.entity,

    /** Uses up a trigger, or returns Slack's error if that isn't possible. */
    spendTrigger(id: string): Trigger | TriggerError {
      const trigger = triggers.get(id)
      if (!trigger) return 'invalid_trigger_id'
      if (trigger.used) return 'exchanged_trigger_id'
      if (now().getTime() - trigger.bornMs > triggerLifeMs) return 'expired_trigger_id'
      trigger.used = true
      return trigger
    },

    /** A path below the playground's address: `/hooks/…`. */
    issueResponsePath(kind: 'commands' | 'actions' | 'app', teamId: string, target: ResponseUrl): string {
      const path = `/hooks/${kind}/${teamId}/${now().getTime()}/${createSecret(12)}`
      urls.set(path, { ...target, bornMs: now().getTime(), uses: 0 })
      forgetOldest(urls, KEPT)
      return path
    },

    /** Counts a use, or says why there is none left. */
    spendResponsePath(path: string): ResponseUrl | 'no_service' | 'expired_url' | 'used_url' {
      const url = urls.get(path)
      if (!url) return 'no_service'
      if (now().getTime() - url.bornMs > URL_LIFE_MS) return 'expired_url'
      if (url.uses >= URL_USES) return 'used_url'
      url.uses += 1
      return url
    },
  }
}
