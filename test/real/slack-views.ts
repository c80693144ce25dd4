import type { View } from '@slack/types'
import type { Fields, ShownView } from '../views/shown-views.ts'
import { NOT_TRIED } from './slack-checks.ts'
import { type Press, type Slack, slackCode, slackWords } from './slack-connection.ts'

/** What Slack said about everything that the app shows. */
export interface Shown {
  accepted: number
  /** The window was closed, or nobody pressed the button that opens it. */
  notTried: number
  /** Each with what a person does to see it, Slack’s words, and what was sent. */
  readonly refused: { cause: string; way: string; words: string; payload: Fields }[]
}

/** Sends a message or view. Undefined if there is nobody to see it. */
type Send = ((payload: Fields) => Promise<unknown>) | undefined

/** Shows Slack each view in the way that the app does. The ways go side by side, because each method has its own rate limit. */
export async function showAll(slack: Slack, views: readonly ShownView[], press: Press | undefined) {
  const { client, channel, self } = slack
  const { userId: user, viewId: view_id } = press ?? {}
  const shown: Shown = { accepted: 0, notTried: 0, refused: [] }
  // Cast, because Slack is asked whether it is a view.
  const asView = (payload: Fields) => payload as unknown as View
  const post: Send = async (payload) => {
    const ts = await slack.post(payload)
    await client.chat.update({ channel, ts, text: '', ...payload })
    // One that stays is counted at the end.
    await slack.remove(ts).catch(() => undefined)
  }
  const answer: Send =
    user === undefined
      ? post
      : (payload) => client.chat.postEphemeral({ channel, user, text: '', ...payload })
  const update: Send = view_id
    ? (payload) => client.views.update({ view_id, view: asView(payload) })
    : undefined
  const publish: Send = user
    ? (payload) => client.views.publish({ user_id: user, view: asView(payload) })
    : undefined
  const ways: Readonly<Record<string, Send>> = { post, answer, modal: update, home: publish }

  /** Slack refuses people and channels that don’t exist. Everybody becomes the app itself, so that nobody is notified. */
  const useRealIds = (payload: Fields): Fields =>
    JSON.parse(
      JSON.stringify(payload)
        .replaceAll(/\bU0SAMPLE\w+/g, String(self.user_id))
        .replaceAll(/\bC0SAMPLE\w+/g, channel),
    )
  async function showOne({ cause, payload }: ShownView, way: string, send: Send): Promise<void> {
    try {
      await send?.(useRealIds(payload))
      shown[send ? 'accepted' : 'notTried'] += 1
    } catch (error) {
      // The window was closed, or nothing answered.
      if (NOT_TRIED.includes(slackCode(error))) shown.notTried += 1
      else shown.refused.push({ cause, way, words: slackWords(error), payload })
    }
  }
  await Promise.all(
    Object.entries(ways).map(async ([way, send]) => {
      for (const view of views) if (findWay(view) === way) await showOne(view, way, send)
    }),
  )
  await publish?.({ type: 'home', blocks: [] }).catch(() => undefined)
  return shown
}

const findWay = ({ kind, postedTo, payload }: ShownView): unknown =>
  kind === 'view' ? payload.type : postedTo === undefined ? 'answer' : 'post'
