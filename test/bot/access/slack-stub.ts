import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type SandboxOptions, startSandbox } from '@signalman/sandbox/src/index.ts'
import type { Log } from '../../../packages/runtime/src/log.ts'
import { type AppDeps, startApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { createLog } from '../../../src/log.ts'
import { LONG_DEADLINES, UNLIMITED } from '../../relaxed-limits.ts'
import { createSandboxControl } from '../../sandbox-control.ts'
import { createSender } from './requests.ts'

/** A call of the app to Slack. */
export interface SentCall {
  /** A Web API method, or `response_url`. */
  method: string
  body: Record<string, unknown>
}

/** Answers of methods, or functions of what the app sent. */
export type SlackAnswers = Readonly<
  Record<string, object | ((body: Readonly<Record<string, unknown>>) => object)>
>

export interface SlackStub extends AsyncDisposable {
  readonly apiUrl: string
  /** A response URL, as in a command or a click. */
  readonly responseUrl: string
  readonly calls: SentCall[]
  /** Answers these calls only when it is told to stall others. */
  stall(calls: (method: string) => boolean): void
}

/**
 * Starts a stub of Slack for tests of requests that the playground can't send. It records and accepts every call. It answers
 * `users.info` from `people` and `usergroups.users.list` from `groups`, with an error for any other person or group. `answers` has
 * the answers of other methods.
 */
export async function startSlackStub(
  people: Readonly<Record<string, object>>,
  groups: Readonly<Record<string, readonly string[]>> = {},
  answers: SlackAnswers = {},
): Promise<SlackStub> {
  const calls: SentCall[] = []
  const stalls = new EventEmitter().setMaxListeners(0)
  let isStalled = (_method: string): boolean => false
  const server = createServer(async (request, response) => {
    const method = (request.url ?? '').replace(/^\/(api\/)?/, '')
    const body = await readBody(request)
    calls.push({ method, body })
    while (isStalled(method)) await once(stalls, 'change')
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(buildResponse(method, body)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on TCP has an address with a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  function buildResponse(method: string, body: Record<string, unknown>): object {
    if (method === 'users.info') {
      const user = people[String(body.user)]
      return user ? { ok: true, user: { id: body.user, ...user } } : { ok: false, error: 'internal_error' }
    }
    if (method === 'usergroups.users.list') {
      const users = groups[String(body.usergroup)]
      return users ? { ok: true, users } : { ok: false, error: 'internal_error' }
    }
    if (method === 'files.getUploadURLExternal')
      return { ok: true, upload_url: `${url}/upload`, file_id: 'F0STUB' }
    const nth = calls.length
    const usual = { ok: true, view: { id: `V${nth}` }, channel: body.channel ?? 'D1', ts: `${nth}.2` }
    const answer = answers[method]
    return { ...usual, ...ANSWERS[method], ...(typeof answer === 'function' ? answer(body) : answer) }
  }

  return {
    apiUrl: `${url}/api/`,
    responseUrl: `${url}/response_url`,
    calls,
    stall(calls) {
      isStalled = calls
      stalls.emit('change')
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const ANSWERS: Readonly<Record<string, object>> = {
  'conversations.info': { channel: {} },
  'users.list': { members: [], response_metadata: {} },
}

interface StubbedAppOptions extends Omit<AppDeps, 'config' | 'log'> {
  environment?: NodeJS.ProcessEnv
  sandbox?: SandboxOptions
  log?: Log
  /** Slack's answers to other methods. */
  answers?: SlackAnswers
  /** The members of user groups. */
  groups?: Readonly<Record<string, readonly string[]>>
  /** The polling interval of watches. May be shorter than the setting for operators. */
  watchEveryMs?: number
}

/**
 * Starts the app with a stub of Slack and a service, which is empty. `people` have their IDs and their profiles in `users.info`, if Slack
 * answers for them. The variables of `environment` replace those set here, and `deps` the app's defaults.
 */
export async function startStubbedApp(
  people: readonly { readonly userId: string; readonly slack?: object }[],
  {
    environment = {},
    sandbox: sandboxOptions,
    log = createLog('silent'),
    answers,
    groups,
    watchEveryMs,
    ...deps
  }: StubbedAppOptions = {},
) {
  await using started = new AsyncDisposableStack()
  const sandbox = started.use(await startSandbox({ seed: false, checking: false, ...sandboxOptions }))
  const profiles = people.flatMap(({ userId, slack }) => (slack ? [[userId, slack] as const] : []))
  const slack = started.use(await startSlackStub(Object.fromEntries(profiles), groups, answers))
  const config = readConfig({
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_BOT_TOKEN: 'xoxb-stub',
    SLACK_API_URL: slack.apiUrl,
    API_BASE_URL: sandbox.productionUrl,
    API_OTE_BASE_URL: sandbox.oteUrl,
    API_TOKEN: sandbox.token,
    DATABASE_URL: 'sqlite::memory:',
    HOST: '127.0.0.1',
    PORT: '0',
    ...environment,
  })
  const watchIntervalSeconds = watchEveryMs ? watchEveryMs / 1000 : config.watchIntervalSeconds
  const app = started.use(
    await startApp({
      ...{ budgets: UNLIMITED, requestDeadlines: LONG_DEADLINES, log },
      config: { ...config, watchIntervalSeconds },
      ...deps,
    }),
  )
  const resources = started.move()
  return {
    app,
    slack,
    sandbox,
    service: createSandboxControl(sandbox),
    send: createSender(app.url, SECRET, deps.now),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const SECRET = 'stub-signing-secret'

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = ''
  for await (const chunk of request) text += chunk
  if (request.headers['content-type']?.startsWith('application/json')) return JSON.parse(text)
  return Object.fromEntries(new URLSearchParams(text))
}
