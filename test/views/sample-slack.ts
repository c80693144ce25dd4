import { ALL_SCOPES as SCOPES } from '../../src/domain/optional-features.ts'
import { SAMPLE_THREAT } from './sample-data.ts'

export const SAMPLE_WORKSPACE = 'T0SAMPLE01'
export const SAMPLE_CHANNEL = 'C0SAMPLE01'

/** A view that the app would show in Slack. */
export interface ShownView {
  /** What the user did: a typed line, a pressed button, or opening Home. */
  readonly cause: string
  readonly kind: 'message' | 'view'
  /** The conversation that the app posted it to. Undefined for a response to a request, in which mentions notify nobody. */
  readonly postedTo?: string
  readonly payload: Readonly<Record<string, unknown>>
}

type Fields = Readonly<Record<string, unknown>>

/** A Slack that answers Web API calls and records views in `shown`. */
export function createSampleSlack(origin: () => string) {
  const shown: ShownView[] = []
  let cause = ''
  let count = 0

  function record(kind: ShownView['kind'], payload: Fields, postedTo?: string): void {
    shown.push({ cause, kind, payload, ...(postedTo !== undefined && { postedTo }) })
  }

  function recordMessage({ text, blocks }: Fields, postedTo?: string): void {
    if (Array.isArray(blocks)) record('message', { text, blocks }, postedTo)
  }

  function recordView(value: unknown): Fields {
    const view = asFields(value)
    record('view', view)
    count += 1
    return { ok: true, view: { ...view, id: `V${count}`, hash: `${count}.sample` } }
  }

  return {
    shown,
    /** Sets the cause that is recorded with the next views. */
    setCause: (newCause: string) => {
      cause = newCause
    },
    /** The modal that was last opened or updated because of the current cause. */
    lastModal(): Fields | undefined {
      const opened = shown.filter((view) => view.cause === cause && view.kind === 'view')
      return opened.findLast(({ payload }) => payload.type === 'modal')?.payload
    },
    respond: (args: Fields) => recordMessage(args),
    responseUrl: () => `${origin()}/response`,
    call(method: string, args: Fields): Fields {
      if (method.startsWith('views.')) return recordView(args.view)
      if (method.startsWith('chat.')) {
        recordMessage(args, method === 'chat.postEphemeral' ? undefined : String(args.channel))
        count += 1
        return { ok: true, channel: args.channel, ts: `${count}.000100`, message_ts: `${count}.000100` }
      }
      if (method === 'files.getUploadURLExternal')
        return { ok: true, upload_url: `${origin()}/upload`, file_id: 'F0SAMPLE01' }
      return { ok: true, ...ANSWERS[method] }
    },
  }
}

const ANSWERS: Readonly<Record<string, Fields>> = {
  'auth.test': { user_id: 'U0SAMPLEBOT', team_id: SAMPLE_WORKSPACE, bot_id: 'B0SAMPLE01' },
  'users.info': {
    user: {
      id: 'U0SAMPLE01',
      team_id: SAMPLE_WORKSPACE,
      name: 'ann',
      real_name: 'Ann Example',
      tz: 'Europe/Paris',
      is_admin: true,
      profile: { real_name: 'Ann Example', display_name: 'ann', email: 'ann@example.com' },
    },
  },
  'users.list': { members: [] },
  'usergroups.list': { usergroups: [{ id: 'S0SAMPLE01', handle: 'oncall', name: 'On call' }] },
  'usergroups.users.list': { users: ['U0SAMPLE01'] },
  'conversations.info': {
    channel: { id: SAMPLE_CHANNEL, name: 'operations', is_channel: true, is_member: true },
  },
  'conversations.replies': { messages: [{ ts: '1.000100', text: `Look at ${SAMPLE_THREAT}` }] },
  'files.info': { file: { id: 'F0SAMPLE01', name: 'sample.png', mimetype: 'image/png', size: 1 } },
}

/** All scopes, so that all features are on. */
export const ALL_SCOPES = SCOPES.join(',')

/** Parses an object that was sent as JSON, in a form field or as the body. Anything else becomes an empty object. */
export function asFields(value: unknown): Fields {
  if (typeof value === 'string') {
    try {
      return asFields(JSON.parse(value))
    } catch {
      return {}
    }
  }
  // Callers read only its own properties.
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}
