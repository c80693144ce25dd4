import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Fault } from '../../sandbox-control.ts'
import { startWorld, type World } from '../../world.ts'

const DONE = /Created|Saved|Added an alert|Recipients of the alert/
const OUTCOME = new RegExp(`Reference: [0-9a-f]{10}|${DONE.source}`)
const UNCHANGED = 'Nothing was changed.'
const UNCERTAIN = 'It may still have gone through. Check before you repeat it.'

interface FaultCase {
  fault: string
  kind: Partial<Fault>
  happened: string
  said?: string
  /** For a write: the service didn't confirm that nothing was done. A look-up shows it, if there is one. */
  isOpen?: 'done' | 'not done'
}

const respondWith = (body: unknown, status = 400) => ({ kind: 'status' as const, status, body })

const CASES: readonly FaultCase[] = [
  {
    fault: 'a 400 with the array',
    kind: respondWith({ errors: [{ code: 'BAD_REQUEST', message: 'It will not do.' }] }),
    happened: 'The service refused the request.',
    said: 'It will not do.',
  },
  {
    fault: 'a 400 with one object',
    kind: respondWith({ errors: { code: 'BAD_REQUEST', message: 'It will not do.' } }),
    happened: 'The service refused the request.',
    said: 'It will not do.',
  },
  {
    fault: 'a 400 in JSON:API',
    kind: respondWith({ errors: [{ title: 'Refused', detail: 'It will not do.' }] }),
    happened: 'The service refused the request.',
    said: 'It will not do.',
  },
  {
    fault: 'a 401',
    kind: respondWith({ errors: [{ code: 'UNAUTHORIZED', message: 'No.' }] }, 401),
    happened: 'The service doesn’t accept the stored token.',
  },
  {
    fault: 'a 404',
    kind: respondWith({ errors: [{ code: 'NOT_FOUND', message: 'None such.' }] }, 404),
    happened: 'The service has nothing with that name or ID.',
    said: 'None such.',
  },
  {
    fault: 'a 409',
    kind: respondWith({ errors: [{ code: 'BAD_CONTEXT', message: 'Not now.' }] }, 409),
    happened: 'The service refused this, because it conflicts with the current state.',
    said: 'Not now.',
  },
  { fault: 'a 429', kind: respondWith('', 429), happened: 'The service is getting too many requests.' },
  {
    fault: 'a 500',
    kind: respondWith({ errors: [{ code: 'INTERNAL_SERVER_ERROR', message: 'Oops.' }] }, 500),
    happened: 'The service is unreachable or failing.',
    isOpen: 'not done',
  },
  {
    fault: 'HTML',
    kind: {
      kind: 'status',
      status: 502,
      headers: { 'content-type': 'text/html' },
      body: '<html><title>Bad Gateway</title></html>',
    },
    happened: 'The service is unreachable or failing.',
    said: 'Bad Gateway',
    isOpen: 'not done',
  },
  {
    fault: 'truncated JSON',
    kind: { kind: 'body', body: '{"message":"OK","data":{"uu' },
    happened: 'Signalman couldn’t understand the service’s response.',
    isOpen: 'done',
  },
  {
    fault: 'silence',
    kind: { kind: 'hang' },
    happened: 'The service did not answer in time.',
    isOpen: 'not done',
  },
  {
    fault: 'a cut connection',
    kind: { kind: 'reset' },
    happened: 'The service is unreachable or failing.',
    isOpen: 'not done',
  },
]

/** A person's actions up to the message they get. `breakIt` starts the fault before the last one. */
interface Act {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path?: string
  /** No look-up can tell whether it was done. */
  isBlind?: true
  /** The message may be about another object. */
  isAlone?: true
  /** It isn't an act and doesn't open an act's form. */
  isRead?: true
  /** Tested with every fault. One act of each kind is. */
  isTried?: true
  act(world: World, breakIt: () => Promise<void>): Promise<string>
}

const command =
  (typed: string): Act['act'] =>
  async ({ slack }, breakIt) => {
    await breakIt()
    return (await slack.member.command('/hc', typed, { until: OUTCOME })).text
  }

const form =
  (typed: string, answers: Record<string, string>): Act['act'] =>
  async ({ slack }, breakIt) => {
    await slack.member.command('/hc', typed)
    await breakIt()
    return (await slack.member.submit(answers, { until: OUTCOME })).text
  }

const CHECKS = '/healthcheck'

const ACTS: readonly Act[] = [
  { name: '/hc', method: 'GET', isRead: true, act: command('') },
  { name: '/hc list', method: 'GET', isRead: true, isTried: true, act: command('list') },
  { name: '/hc list --status HEALTHY', method: 'GET', isRead: true, act: command('list --status HEALTHY') },
  { name: '/hc show', method: 'GET', isRead: true, act: command('show web') },
  { name: '/hc alerts', method: 'GET', isRead: true, act: command('alerts web') },
  { name: '/hc edit', method: 'GET', act: command('edit web') },
  { name: '/hc delete', method: 'GET', isTried: true, act: command('delete web') },
  { name: '/hc tokens', method: 'GET', isRead: true, path: '/auth', act: command('tokens') },
  {
    name: 'creating',
    method: 'POST',
    isTried: true,
    act: form('create', { Name: 'new', Target: 'www.example.com', 'Customer ID': '1' }),
  },
  { name: 'saving', method: 'PUT', act: form('edit web', { Name: 'shop' }) },
  {
    name: 'adding an alert',
    method: 'POST',
    act: form('alert-add web', { 'Email addresses': 'ann@example.com' }),
  },
  {
    name: 'editing an alert',
    method: 'PUT',
    async act(world, breakIt) {
      const [check] = await world.service.checksNamed('web')
      const [alert] = await world.service.alerts(check?.uuid ?? '')
      return form(`alert-edit web ${alert?.id}`, { 'Email addresses': 'ann@example.com' })(world, breakIt)
    },
  },
  {
    name: 'removing an alert',
    method: 'DELETE',
    async act(world, breakIt) {
      const [check] = await world.service.checksNamed('web')
      const [alert] = await world.service.alerts(check?.uuid ?? '')
      return form(`alert-remove web ${alert?.id}`, {})(world, breakIt)
    },
  },
  {
    name: 'generating a token',
    method: 'POST',
    isTried: true,
    path: '/auth',
    isBlind: true,
    act: command('token-generate --show'),
  },
  {
    name: 'checking a file',
    method: 'GET',
    isTried: true,
    async act({ slack: { member } }, breakIt) {
      const file = 'name,protocol,target,port,frequency,customer_id\nnew,TCP,mx.example.com,25,60,1\n'
      const { id } = await member.upload('checks.csv', file, 'text/csv')
      await member.command('/hc', 'import')
      await breakIt()
      return (await member.submit({ 'CSV file': [id] }, { until: OUTCOME })).text
    },
  },
  {
    name: '/hc export',
    method: 'GET',
    isTried: true,
    isAlone: true,
    async act({ slack: { member } }, breakIt) {
      await breakIt()
      await member.command('/hc', 'export')
      await member.until('the outcome', ({ messages }) => OUTCOME.test(JSON.stringify(messages)))
      return (await member.messages('dm')).map((message) => message.text).join('\n')
    },
  },
]

/** Only timeouts are timed, because on a busy machine everything may take that long. */
const BRIEF = { connectMs: 600, headersMs: 600, bodyMs: 600, totalMs: 600 }
const timesFor = (fault: string) =>
  fault === 'silence'
    ? { serviceLimits: { retry: { attempts: 1 }, timeouts: BRIEF }, workTimes: { settleMs: 700 } }
    : // The service is done with a request that has failed, so waiting longer would test nothing.
      { serviceLimits: { retry: { attempts: 1 } }, workTimes: { settleMs: 50 } }

const startFor = (fault: string): Promise<World> =>
  startWorld({ checks: [{ name: 'web', alerts: [['ops@example.com']] }], ...timesFor(fault) })

/** These would leave state behind, have an effect anyway, or need other timeouts, so later cases would differ. */
const isLasting = ({ fault, isOpen }: FaultCase): boolean =>
  isOpen === 'done' || ['a 401', 'a 429', 'silence'].includes(fault)

function expectExplanation(
  text: string,
  one: FaultCase,
  { isUnknown, isQuoted, isRead }: { isUnknown: boolean; isQuoted: boolean; isRead: boolean },
) {
  if (isUnknown) expect(text).toContain(UNCERTAIN)
  else expect(text.includes(UNCHANGED)).toBe(!isRead)
  if (!isUnknown) expect(text).toContain(one.happened)
  if (one.said) expect(text.includes(one.said)).toBe(isQuoted)
}

/** Ends all faults, and closes all modals. */
async function reset({ service, slack: { member } }: World): Promise<void> {
  await service.faults()
  if ((await member.state()).views.length > 0) await member.close({ all: true })
}

/** The faults for the other acts: one for each outcome. */
const BASIC_FAULTS = ['a 404', 'a 500', 'truncated JSON', 'silence']

describe.each(ACTS)('$name', ({ method, path = CHECKS, isBlind, isAlone, isTried, isRead = false, act }) => {
  let shared: World
  beforeAll(async () => {
    shared = await startFor('')
  })
  afterEach(() => reset(shared))
  afterAll(() => shared?.[Symbol.asyncDispose]())
  // Answers about tokens are never quoted.
  const isQuoted = path !== '/auth'
  // The answer to a deletion isn't read: with status 200, it was done, regardless of the body.
  const cases = CASES.filter(({ fault }) => method !== 'DELETE' || fault !== 'truncated JSON').filter(
    ({ fault }) =>
      isTried || BASIC_FAULTS.slice(0, method === 'GET' ? 2 : BASIC_FAULTS.length).includes(fault),
  )

  it.each(cases)('says what happened and whether anything changed after $fault', async (one) => {
    await using own = isAlone || isLasting(one) ? await startFor(one.fault) : undefined
    const world = own ?? shared
    const breakIt = () => world.service.faults({ method, path, times: 9, ...one.kind } as Fault)
    const text = await act(world, breakIt)
    if (method !== 'GET' && !isBlind && one.isOpen === 'done') expect(text).toMatch(DONE)
    else expectExplanation(text, one, { isUnknown: Boolean(isBlind && one.isOpen), isQuoted, isRead })
    expect(text).not.toMatch(/\bat .*\.ts\b|undefined|\[object|<html/i)
    expect(text).not.toContain(world.sandbox.token)
  })
})

describe('deleting in a job', () => {
  const REFUSALS = CASES.filter(({ fault }) => fault !== 'truncated JSON')

  it.each(REFUSALS)('says what happened and that nothing was deleted after $fault', async (one) => {
    await using world = await startFor(one.fault)
    const { member } = world.slack
    await member.command('/hc', 'delete web')
    await world.service.faults({ method: 'DELETE', path: CHECKS, ...one.kind } as Fault)
    await member.submit({ name: 'web' }, { until: /Started\.|Not done/ })
    await member.until('the end of the job', ({ messages }) =>
      JSON.stringify(messages).includes('Not done: '),
    )
    const end = (await member.messages('dm')).findLast(({ text }) =>
      text.startsWith('Not done: Delete “web”'),
    )
    expect(end?.text).toContain(one.said ?? one.happened)
    expect(end?.text).not.toMatch(/\bat .*\.ts\b|undefined|\[object|<html/i)
    expect(await world.service.countChecks()).toBe(1)
  })
})
