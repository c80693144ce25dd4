import { setTimeout as pause } from 'node:timers/promises'
import { type Checks, Different, expectTrue, NotTried } from './findings.ts'
import { createWindow, type Press, respond, type Slack, slackCode } from './slack-connection.ts'

/** Longer than Slack keeps a trigger, and takes to unfurl a link. */
const WAIT_MS = 4000
/** How long Slack may take to list a message. */
const SETTLE_MS = 500
const WINDOW = createWindow('A window.')

interface CheckInput {
  slack: Slack
  press: Press | undefined
  /** A user group that may be mentioned. */
  group?: string | undefined
}

/** What the app assumes about Slack besides which messages are valid, with the file that assumes it. The window is still open. */
export const slackChecks = (input: CheckInput): Checks => ({
  ...postChecks(input),
  ...refusalChecks(input),
  ...windowChecks(input),
})

function postChecks({ slack, group }: CheckInput): Checks {
  const { client, channel, self } = slack
  const metadata = { event_type: 'posted_message', event_payload: { id: `try-${Date.now()}` } }
  const search = { channel, oldest: String(Date.now() / 1000 - 600), include_all_metadata: true, limit: 100 }
  /** Posts a message, and reads it from the channel's history or the thread. */
  async function postAndRead(
    message: { text: string; thread_ts?: string; metadata?: object },
    waitMs = SETTLE_MS,
  ) {
    const ts = await slack.post(message)
    await pause(waitMs)
    const { thread_ts } = message
    const { messages } = thread_ts
      ? await client.conversations.replies({ ...search, ts: thread_ts })
      : await client.conversations.history(search)
    const found = messages?.find((each) => each.ts === ts)
    if (!found) throw new Different('the message isn’t there')
    return found as typeof found & { metadata?: { event_payload?: object } }
  }
  async function findByMetadata(thread_ts?: string): Promise<string | undefined> {
    const found = await postAndRead({ text: 'With metadata', metadata, ...(thread_ts && { thread_ts }) })
    const isOwn = found.bot_id === self.bot_id || found.user === self.user_id
    const came = JSON.stringify(found.metadata?.event_payload)
    return expectTrue(
      isOwn && came === JSON.stringify(metadata.event_payload),
      isOwn ? came : 'another author',
    )
  }
  return {
    'a lost post is found in the channel by its metadata (find-posted.ts)': () => findByMetadata(),
    'a lost post is found in a thread by its metadata (find-posted.ts)': async () =>
      findByMetadata(await slack.post({ text: 'A thread' })),
    'a message can be edited after a reply (slack-client.ts)': async () => {
      const ts = await slack.post({ text: 'Before' })
      await slack.post({ text: 'A reply', thread_ts: ts })
      const { text } = await client.chat.update({ channel, ts, text: 'After' })
      return expectTrue(text === 'After', text)
    },
    'a permalink has the channel and the ts (slack-client.ts)': async () => {
      const message_ts = await slack.post({ text: 'With a permalink' })
      const { permalink = '' } = await client.chat.getPermalink({ channel, message_ts })
      return expectTrue(
        permalink.endsWith(`/archives/${channel}/p${message_ts.replace('.', '')}`),
        'another form',
      )
    },
    'a link isn’t unfurled (slack-client.ts)': async () => {
      const { attachments } = await postAndRead({ text: 'https://docs.slack.dev/' }, WAIT_MS)
      return expectTrue(attachments === undefined, 'it is')
    },
    'a text of 40,000 characters is kept (text-limits.ts)': async () => {
      const { text } = await postAndRead({ text: 'x'.repeat(40_000) })
      return expectTrue(text?.length === 40_000, `${text?.length} are`)
    },
    'blocks may have 13,000 characters (limits.ts)': async () => {
      const section = { type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(2600) } }
      await slack.post({ blocks: Array.from({ length: 5 }, () => section) })
      return undefined
    },
    'a mention of a user group stays a mention (cards.ts)': async () => {
      if (!group) throw new NotTried('no user group was named with --group')
      const { text } = await postAndRead({ text: `<!subteam^${group}> is only mentioned.` })
      return expectTrue(Boolean(text?.startsWith(`<!subteam^${group}`)), text)
    },
    'two files can be sent at once (slack-files.ts)': async () => {
      const [one, two] = [await uploadText(slack, 'one'), await uploadText(slack, 'two')]
      const { files } = await client.files.completeUploadExternal({ channel_id: channel, files: [one, two] })
      return expectTrue(files?.length === 2, `${files?.length} were`)
    },
    'the socket’s hello says how many programs use the token (socket-mode.ts)': async () =>
      expectTrue(typeof slack.connections === 'number', slack.connections),
  }
}

/** Uploads a file, which isn’t in a channel yet. */
async function uploadText({ client, files }: Slack, text: string): Promise<{ id: string; title: string }> {
  const details = { filename: `${text}.txt`, length: text.length, alt_txt: text }
  const { upload_url = '', file_id: id = '' } = await client.files.getUploadURLExternal(details)
  const { status } = await fetch(upload_url, { method: 'POST', body: text })
  if (status !== 200) throw new Different(`the upload was answered with status ${status}`)
  files.add(id)
  return { id, title: text }
}

/** Codes that aren’t about what is checked. The last says that the window was closed. */
export const NOT_TRIED = [
  ...['missing_scope', 'unknown_method', 'not_found'],
  // Nothing answered, or not for this token.
  ...['unreachable', 'invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired'],
]

/** Resolves with what Slack said instead of this error code. */
async function expectCode(expected: string, call: Promise<unknown>): Promise<string | undefined> {
  const code = await call.then(() => 'Slack accepted it', slackCode)
  if (NOT_TRIED.includes(code)) throw new NotTried(code)
  return expectTrue(code === expected, code)
}

/** The error codes on which the app decides. Each check is named by its code. */
function refusalChecks({ slack }: CheckInput): Checks {
  const { client, channel, self, post } = slack
  async function deletedPost(): Promise<string> {
    const ts = await post({ text: 'Deleted' })
    await slack.remove(ts)
    return ts
  }
  const edit = (ts: string) => client.chat.update({ channel, ts, text: 'Edited' })
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    'message_not_found for the edit of a deleted message': async () => edit(await deletedPost()),
    'thread_not_found for a reply to a deleted message': async () =>
      post({ text: 'A reply', thread_ts: await deletedPost() }),
    'cant_update_message for the edit of somebody else’s message': async () => {
      const { messages } = await client.conversations.history({ channel, limit: 100 })
      const other = messages?.find(({ user, bot_id }) => user !== self.user_id && bot_id !== self.bot_id)
      if (!other?.ts) throw new NotTried('nobody else has written in the channel')
      return edit(other.ts)
    },
    'channel_not_found for an unknown channel': () => post({ channel: 'C0000000000', text: 'Lost' }),
    'no_text for an empty message': () => post({ text: '' }),
    'invalid_blocks for an empty section': () =>
      post({ blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '' } }] }),
    'user_not_found for an unknown person': () => client.users.info({ user: 'U0000000000' }),
  }
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      `${name} (slack-errors.ts)`,
      () => expectCode(name.split(' ')[0] ?? '', call()),
    ]),
  )
}

function requirePress(press: Press | undefined): Press {
  if (!press) throw new NotTried('nobody pressed the button')
  return press
}

function windowChecks({ slack: { client }, press }: CheckInput): Checks {
  return {
    'a trigger opens one window (windows.ts)': async () => {
      const { triggerId: trigger_id } = requirePress(press)
      return expectCode('exchanged_trigger_id', client.views.open({ trigger_id, view: WINDOW }))
    },
    'a window can be updated without a hash, and not with an old one (redraws.ts)': async () => {
      const { viewId: view_id } = requirePress(press)
      const { view } = await client.views.update({ view_id, view: WINDOW })
      await client.views.update({ view_id, view: createWindow('Another window.') })
      const { hash = '' } = view ?? {}
      return expectCode('hash_conflict', client.views.update({ view_id, view: WINDOW, hash }))
    },
  }
}

/** Checks after a second press, of a button in the first answer to the first press. */
export function pressChecks({ client }: Slack, press: Press | undefined, second: Press | undefined): Checks {
  return {
    'a trigger ends after three seconds (windows.ts)': async () => {
      const { triggerId: trigger_id } = requirePress(second)
      await pause(WAIT_MS)
      return expectCode('expired_trigger_id', client.views.open({ trigger_id, view: WINDOW }))
    },
    'an ephemeral message can be replaced (respond.ts)': async () => {
      const status = await respond(requirePress(second), { replace_original: true, text: 'Thank you.' })
      return expectTrue(status === 200, `status ${status}`)
    },
    // The first of its answers had the second button.
    'a response_url takes five answers (answer.ts)': async () => {
      const statuses: number[] = []
      for (let nth = 2; nth <= 6; nth += 1)
        statuses.push(await respond(requirePress(press), { text: `Answer ${nth} of 5` }))
      const isExpected = statuses.findIndex((status) => status !== 200) === 4
      return expectTrue(isExpected, `the statuses of answers 2 to 6 are ${statuses}`)
    },
    'a response_url works for 30 minutes (answer.ts)': async () => {
      throw new NotTried('it would take 30 minutes')
    },
    'a person’s ID is a place to post (slack-client.ts)': async () => {
      const { userId } = requirePress(press)
      const { channel = '', ts = '' } = await client.chat.postMessage({ channel: userId, text: 'A DM' })
      await client.chat.delete({ channel, ts })
      return expectTrue(channel.startsWith('D'), channel[0])
    },
  }
}
