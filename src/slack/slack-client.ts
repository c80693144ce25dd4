import { webApi } from '@slack/bolt'
import type { HomeView, KnownBlock, ModalView } from '@slack/types'
import type { Message } from '../blocks/message.ts'

/** The few things the app says to Slack's Web API, for one workspace. All throw what `@slack/web-api` throws. */
export interface SlackClient {
  openView(triggerId: string, view: ModalView): Promise<string>
  pushView(triggerId: string, view: ModalView): Promise<string>
  updateView(viewId: string, view: ModalView): Promise<void>
  publishHome(userId: string, blocks: KnownBlock[]): Promise<void>
  postEphemeral(channelId: string, userId: string, message: Message): Promise<void>
  /** To a person's direct messages with the app. */
  postDirect(userId: string, message: Message): Promise<void>
  /** A person's name and the e-mail address of their profile; none without the scope `users:read.email`. */
  personOf(userId: string): Promise<{ name: string; email: string | undefined }>
  /** Answers when the token works. */
  check(): Promise<void>
}

/** The library would write to the console past our log; what it has to say it also throws. */
const SILENT: NonNullable<webApi.WebClientOptions['logger']> = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  getLevel: () => webApi.LogLevel.ERROR,
}

const NO_UNFURL = { unfurl_links: false, unfurl_media: false } as const

/**
 * Nothing is repeated by the library: a post whose reply was lost would be posted again, and a trigger works once.
 * `clientOptions.headers` stays unset: clients would share one Authorization header (facts measured in November 2026).
 */
export function createSlackClient(token: string, apiUrl: string | undefined): SlackClient {
  const client = new webApi.WebClient(token, {
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 10_000,
    logger: SILENT,
    ...(apiUrl && { slackApiUrl: apiUrl }),
  })
  const idOf = (answer: { view?: { id?: string } }): string => answer.view?.id ?? ''
  return {
    openView: async (trigger_id, view) => idOf(await client.views.open({ trigger_id, view })),
    pushView: async (trigger_id, view) => idOf(await client.views.push({ trigger_id, view })),
    async updateView(view_id, view) {
      await client.views.update({ view_id, view })
    },
    async publishHome(user_id, blocks) {
      const view: HomeView = { type: 'home', blocks }
      await client.views.publish({ user_id, view })
    },
    async postEphemeral(channel, user, { text, blocks }) {
      await client.chat.postEphemeral({ channel, user, text, blocks })
    },
    async postDirect(userId, { text, blocks }) {
      await client.chat.postMessage({ channel: userId, text, blocks, ...NO_UNFURL })
    },
    async personOf(userId) {
      const { user } = await client.users.info({ user: userId })
      const name = user?.profile?.display_name || user?.real_name || user?.name || userId
      return { name, email: user?.profile?.email || undefined }
    },
    async check() {
      await client.auth.test()
    },
  }
}
