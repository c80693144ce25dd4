import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { IS_LONG } from '../../long.ts'
import { readSeed } from '../../random.ts'
import type { Fault } from '../../sandbox-control.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'
import { CHECK, openForm, WRITES } from '../audit/writes.ts'

const DONE = /Created(?! 0)|Changed(?! 0)/
const OUTCOME = new RegExp(`Reference: [0-9a-f]{10}|The outcome is unknown|${DONE.source}`)
const UNCHANGED = 'Nothing was changed.'
const UNCERTAIN = 'It may still have gone through.'

interface FaultCase {
  fault: string
  injected: Partial<Fault>
  /** How Signalman explains the fault. */
  explanation: string
  /** The service's own message, which Signalman quotes. */
  quoted?: string
  /** Set if the response doesn't show whether a write was done: what a lookup finds. */
  unclear?: 'done' | 'not done'
}

const respondWith = (body: unknown, status = 400) => ({ kind: 'status' as const, status, body })

const respondWithError = (error: object, status = 400) => respondWith({ errors: [error] }, status)
const HTML = { headers: { 'content-type': 'text/html' }, body: '<html><title>Bad Gateway</title></html>' }
const REFUSED = 'The service refused the request.'
const quoted = 'It will not do.'
const FAILING = 'The service is unreachable or failing.'
const CONFLICT = 'The service refused this, because it conflicts with the service’s current data.'
const UNCLEAR = { unclear: 'not done' } as const

const CASES: readonly FaultCase[] = (
  [
    ['a 400 with the array', REFUSED, respondWithError({ code: 'BAD_REQUEST', message: quoted }), { quoted }],
    [
      'a 400 with one object',
      REFUSED,
      respondWith({ errors: { code: 'BAD_REQUEST', message: quoted } }),
      { quoted },
    ],
    ['a 400 in JSON:API', REFUSED, respondWithError({ title: 'Refused', detail: quoted }), { quoted }],
    [
      'a 401',
      'The service doesn’t accept the token.',
      respondWithError({ code: 'UNAUTHORIZED', message: 'No.' }, 401),
    ],
    [
      'a 404',
      'The service has nothing with that name or ID.',
      respondWithError({ code: 'NOT_FOUND', message: quoted }, 404),
      { quoted },
    ],
    ['a 409', CONFLICT, respondWithError({ code: 'BAD_CONTEXT', message: quoted }, 409), { quoted }],
    ['a 429', 'The service is getting too many requests.', respondWith('', 429)],
    ['a 500', FAILING, respondWithError({ code: 'INTERNAL_SERVER_ERROR', message: 'Oops.' }, 500), UNCLEAR],
    ['HTML', FAILING, { kind: 'status', status: 502, ...HTML }, UNCLEAR],
    [
      'the 404 of a proxy',
      `${FAILING} Something between Signalman and the service answered with HTTP status 404.`,
      { kind: 'status', status: 404, ...HTML },
      UNCLEAR,
    ],
    [
      'a failure with status 200',
      'The token isn’t allowed to do this.',
      respondWith({ error: { code: 'FORBIDDEN', message: quoted } }, 200),
      { quoted, ...UNCLEAR },
    ],
    [
      'truncated JSON',
      'Signalman couldn’t understand the service’s response.',
      { kind: 'body', body: '{"message":"OK","data":{"uu' },
      { unclear: 'done' },
    ],
    ['silence', 'The service did not answer in time.', { kind: 'hang' }, UNCLEAR],
    ['a cut connection', FAILING, { kind: 'reset' }, UNCLEAR],
  ] satisfies [string, string, FaultCase['injected'], Pick<FaultCase, 'quoted' | 'unclear'>?][]
).map(([fault, explanation, injected, more]) => ({ fault, explanation, injected, ...more }))

/** A person's actions, up to the message that they get. `startFault` must be called before the last action. */
interface Act {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path?: string
  /** The verb in the audit log, if it changes something. */
  verb?: string
  /** No lookup can show whether it was done. */
  hasNoLookup?: true
  /** A lookup can show that it was done, but not that it wasn't. */
  staysUnclear?: true
  /** Needs its own world, because earlier messages would be mistaken for its result. */
  needsOwnWorld?: true
  /** Only reads, and opens no form that changes anything. */
  isRead?: true
  /** Tested with every fault, not just the basic ones. Set for one act of each kind. */
  hasEveryFault?: true
  act(world: World, startFault: () => Promise<void>): Promise<string>
}

const command =
  (typed: string): Act['act'] =>
  async ({ slack }, startFault) => {
    await startFault()
    return (await slack.member.command('/hc', typed, { until: OUTCOME })).text
  }

const CHECKS = '/healthcheck'

const ACTS: readonly Act[] = [
  { name: '/hc', method: 'GET', isRead: true, act: command('') },
  { name: '/hc list', method: 'GET', isRead: true, hasEveryFault: true, act: command('list') },
  { name: '/hc list --status HEALTHY', method: 'GET', isRead: true, act: command('list --status HEALTHY') },
  { name: '/hc show', method: 'GET', isRead: true, act: command('show web') },
  { name: '/hc alerts', method: 'GET', isRead: true, act: command('alerts web') },
  { name: '/hc edit', method: 'GET', act: command('edit web') },
  { name: '/hc delete', method: 'GET', act: command('delete web') },
  { name: '/hc tokens', method: 'GET', isRead: true, path: '/auth', act: command('tokens') },
  ...WRITES.map((write) => ({
    ...{ name: `the form of ${write.verb}`, verb: write.verb, method: write.method },
    ...(write.verb === '/hc create' && ({ hasEveryFault: true, staysUnclear: true } as const)),
    async act(world: World, startFault: () => Promise<void>) {
      await openForm(world, write)
      await startFault()
      return (await world.slack.member.submit(write.answers, { until: OUTCOME })).text
    },
  })),
  {
    name: 'generating a token',
    verb: '/hc token-generate',
    method: 'POST',
    hasEveryFault: true,
    path: '/auth',
    hasNoLookup: true,
    act: command('token-generate'),
  },
  {
    name: 'checking a file',
    method: 'GET',
    isRead: true,
    async act({ slack: { member } }, startFault) {
      const file = 'name,protocol,target,port,frequency,customer_id\nnew,TCP,mx.example.com,25,60,1\n'
      const { id } = await member.upload('checks.csv', file, 'text/csv')
      await member.command('/hc', 'import')
      await startFault()
      return (await member.submit({ 'CSV file': [id] }, { until: OUTCOME })).text
    },
  },
  {
    name: '/hc export',
    method: 'GET',
    needsOwnWorld: true,
    async act({ slack: { member } }, startFault) {
      await startFault()
      await member.command('/hc', 'export')
      await member.until('the outcome', ({ messages }) => OUTCOME.test(JSON.stringify(messages)))
      return (await member.messages('dm')).map((message) => message.text).join('\n')
    },
  },
]

/** Only for the test of timeouts, because on a busy machine any request may take this long. */
const SHORT_TIMEOUTS = { connectMs: 600, headersMs: 600, bodyMs: 600, totalMs: 600 }
function timesFor(fault: string) {
  const retry = { attempts: 1 }
  if (fault === 'silence')
    return { serviceLimits: { retry, timeouts: SHORT_TIMEOUTS }, workTimes: { maxInFlightMs: 700 } }
  // After any other fault, the service has already finished with the request, so a short wait is enough.
  return { serviceLimits: { retry }, workTimes: { maxInFlightMs: 50 } }
}

const startFor = (fault: string): Promise<World> => startWorld({ checks: [CHECK], ...timesFor(fault) })

/** Whether the fault needs its own world, because it changes what the service or the app does later. */
const affectsLaterCases = ({ fault, unclear }: FaultCase): boolean =>
  unclear === 'done' || ['a 401', 'a 429'].includes(fault)

let sharedWorld: World
/** For the fault that needs other timeouts. */
let silentWorld: World
beforeAll(async () => {
  sharedWorld = await startFor('')
  silentWorld = await startFor('silence')
})
afterEach(async () => {
  await reset(sharedWorld)
  await reset(silentWorld)
})
afterAll(async () => {
  await sharedWorld?.[Symbol.asyncDispose]()
  await silentWorld?.[Symbol.asyncDispose]()
})

async function withWorld(
  faultCase: FaultCase,
  needsOwnWorld: boolean,
  test: (world: World) => Promise<void>,
): Promise<void> {
  if (!needsOwnWorld && !affectsLaterCases(faultCase))
    return test(faultCase.fault === 'silence' ? silentWorld : sharedWorld)
  await using ownWorld = await startFor(faultCase.fault)
  await test(ownWorld)
}

function expectExplanation(
  text: string,
  faultCase: FaultCase,
  { isUnknown, isQuoted, isRead }: { isUnknown: boolean; isQuoted: boolean; isRead: boolean },
) {
  if (isUnknown) expect(text).toContain(UNCERTAIN)
  else expect(text.includes(UNCHANGED)).toBe(!isRead)
  if (!isUnknown) expect(text).toContain(faultCase.explanation)
  if (faultCase.quoted && !isUnknown) expect(text.includes(faultCase.quoted)).toBe(isQuoted)
}

/** How an act ends with this fault, after it was looked up. */
function findOutcome(
  {
    method,
    hasNoLookup,
    staysUnclear,
  }: Pick<Act, 'method'> & { [name in 'hasNoLookup' | 'staysUnclear']: unknown },
  { unclear }: FaultCase,
): 'done' | 'unknown' | 'failed' {
  if (method !== 'GET' && !hasNoLookup && unclear === 'done') return 'done'
  return (hasNoLookup || staysUnclear) && unclear ? 'unknown' : 'failed'
}

const listOutcomes = async ({ app }: World, verb: string | undefined): Promise<string[]> =>
  verb === undefined
    ? []
    : (await app.store.audit.search({ workspaceId: WORKSPACE, text: verb, limit: 200 })).map(
        ({ outcome }) => outcome,
      )

async function reset({ service, slack: { member } }: World): Promise<void> {
  await service.faults()
  if ((await member.state()).views.length > 0) await member.close({ all: true })
}

/** The faults that every act is tested with: one for each outcome. */
const BASIC_FAULTS = ['a 404', 'a 500', 'truncated JSON', 'silence']

/** A quick run takes every second fault of an act, chosen by the seed: a different half for each act that follows another. */
const isChosen = (nth: number): boolean => IS_LONG || (nth + readSeed()) % 2 === 0

describe.each(ACTS.map((act, nth) => ({ ...act, nth })))(
  '$name',
  ({
    verb,
    method,
    path = CHECKS,
    hasNoLookup,
    staysUnclear,
    needsOwnWorld = false,
    hasEveryFault,
    isRead = false,
    act,
    nth,
  }) => {
    // Signalman never quotes a response about tokens.
    const isQuoted = path !== '/auth'
    // A deletion with status 200 was done, whatever its body is, so a truncated body is no fault.
    const cases = CASES.filter(({ fault }) => method !== 'DELETE' || fault !== 'truncated JSON').filter(
      ({ fault }) =>
        hasEveryFault || BASIC_FAULTS.slice(0, method === 'GET' ? 2 : BASIC_FAULTS.length).includes(fault),
    )

    it.each(cases.filter((_, index) => isChosen(nth + index)))(
      'explains $fault, says whether anything changed, and writes that into the audit log',
      (faultCase) =>
        withWorld(faultCase, needsOwnWorld, async (world) => {
          const startFault = () =>
            world.service.faults({ method, path, times: 9, ...faultCase.injected } as Fault)
          const before = await listOutcomes(world, verb)
          const text = await act(world, startFault)
          const outcome = findOutcome({ method, hasNoLookup, staysUnclear }, faultCase)
          if (outcome === 'done') expect(text).toMatch(DONE)
          else expectExplanation(text, faultCase, { isUnknown: outcome === 'unknown', isQuoted, isRead })
          expect(await listOutcomes(world, verb)).toEqual(verb ? [outcome, ...before] : [])
          expect(text).not.toMatch(/\bat .*\.ts\b|undefined|\[object|<html/i)
          expect(text).not.toContain(world.sandbox.token)
          const reference = /Reference: ([0-9a-f]{10})/.exec(text)?.[1] ?? ''
          expect(world.log.some((line) => line.includes(`"reference":"${reference}`))).toBe(true)
        }),
    )
  },
)
