import { describe, expect, it } from 'vitest'
import type { Fault } from '../../../sandbox-control.ts'
import { startWorld, type World } from '../../../world.ts'
import { importFile, waitForDm } from '../files/csv-files.ts'

const ANN = 'ann@example.com'
const CHECK = '/healthcheck/v1/healthchecks'

const REFUSED = { errors: [{ code: 'BAD_REQUEST', message: 'Not today.' }] }

/** A change of two checks, of which the service answers a request about the first one in an odd way. */
interface Change {
  /** What the first request about the first check is. */
  method: 'POST' | 'PUT' | 'DELETE'
  isAlert?: true
  preview: (world: World) => ReturnType<World['slack']['member']['command']>
  button: string
  /** What the first check is once it's done. */
  done: (check: Awaited<ReturnType<typeof readFirst>>) => boolean
}

async function readFirst({ service }: World) {
  const [found] = await service.checksNamed('web-1')
  if (!found) return undefined
  const recipients = (await service.alerts(found.uuid)).flatMap((alert) => alert.recipients)
  return { ...(await service.check(found.uuid)), recipients: recipients.join(' ') } as Record<string, unknown>
}

const type = (line: string) => (world: World) => world.slack.member.command('/hc', line)
const CHANGES: Record<string, Change> = {
  'an edit': {
    method: 'PUT',
    preview: type('edit web-* --frequency 30'),
    button: 'Change 2',
    done: (check) => check?.frequency === '30',
  },
  'a deletion': {
    method: 'DELETE',
    preview: type('delete web-*'),
    button: 'Delete 2',
    done: (check) => check === undefined,
  },
  'a new recipient': {
    method: 'PUT',
    isAlert: true,
    preview: type('recipients bob@example.com web-* --add'),
    button: 'Change 2',
    done: (check) => check?.recipients === `${ANN} bob@example.com`,
  },
  'a removed alert': {
    method: 'DELETE',
    isAlert: true,
    preview: type(`recipients ${ANN} web-* --remove`),
    button: 'Change 2',
    done: (check) => check?.recipients === '',
  },
  'an added alert': {
    method: 'POST',
    isAlert: true,
    preview: (world) =>
      importFile(world, `name,alerts\nweb-1,"${ANN}; bob@example.com"\nweb-2,"${ANN}; bob@example.com"\n`),
    button: 'Change 2',
    done: (check) => check?.recipients === `${ANN} bob@example.com`,
  },
}

/** The documented error object, a conflict, another message than OK, and an error beside data. */
const REFUSALS = [
  REFUSED,
  { errors: [{ code: 'BAD_CONTEXT', message: 'Not today.' }] },
  { message: 'Not today.' },
  { error: { message: 'Not today.' }, data: {} },
]

const ENDED = /^(?:Changed|Deleted|Created) \d+ (?:of \d+ )?health checks?\./m

describe.each(Object.entries(CHANGES))('%s whose request is answered with a 200', (name, change) => {
  it.each([false, true])(
    'and a refusal is done or refused as the service shows (carried out: %s), and the rest is done',
    async (isDone) => {
      // Each kind of change meets two of the refusals, because the client reads all of them alike.
      const index = Object.keys(CHANGES).indexOf(name) + (isDone ? 2 : 0)
      const body = REFUSALS[index % REFUSALS.length] ?? REFUSED
      await using world = await startWorld({
        checks: [
          { name: 'web-1', alerts: [[ANN]] },
          { name: 'web-2', alerts: [[ANN]] },
        ],
      })
      const { service, slack } = world
      const [{ uuid = '' } = {}] = await service.checksNamed('web-1')
      const preview = await change.preview(world)
      const path = `${CHECK}/${uuid}${change.isAlert ? '/alerts' : ''}`
      const fault: Fault = isDone ? { path, kind: 'body', body } : { path, kind: 'status', status: 200, body }
      await service.faults({ ...fault, method: change.method, times: 99 })
      await slack.member.click(preview.message ?? preview.view, change.button, { until: 'Started.' })
      const { text = '' } = (await waitForDm(world, ENDED)) ?? {}
      await service.faults()
      expect(change.done(await readFirst(world))).toBe(isDone)
      expect(text).toMatch(
        isDone ? /^(?:Changed|Deleted) 2 health checks\./m : /^(?:Changed|Deleted) 1 of 2 health checks\./m,
      )
      if (!isDone) expect(text).toMatch(/web-1 +· not done: Not today\./)
      // Nothing is sent twice that the service has answered.
      const sent = (await service.requests(change.method)).filter((request) => request.path.startsWith(path))
      expect(sent).toHaveLength(1)
    },
  )
})

const RECIPIENTS = { 'Email addresses': `${ANN}, bob@example.com` }
/** The windows, and what is typed into them. */
const WINDOWS: [
  line: string,
  method: 'POST' | 'PUT' | 'DELETE',
  typed: Record<string, string>,
  outcome: RegExp,
][] = [
  ['create', 'POST', { Name: 'new', Target: 'new.example.com', 'Customer ID': '1' }, /outcome is unknown/],
  ['edit web', 'PUT', { Port: '8443' }, /Nothing was changed\./],
  ['delete web', 'DELETE', { 'Type the name of the health check': 'web' }, /Nothing was changed\./],
  ['alert-add web', 'POST', { 'Email addresses': 'bob@example.com' }, /Nothing was changed\./],
  ['alert-edit web ID', 'PUT', RECIPIENTS, /Nothing was changed\./],
  ['alert-remove web ID', 'DELETE', {}, /Nothing was changed\./],
]

it.each(WINDOWS)(
  'a window of /hc %s says what the service refused inside a 200, and can be sent again at once',
  async (line, method, typed, outcome) => {
    // The lock would stay for a minute if a request could still be under way.
    await using world = await startWorld({
      checks: [{ name: 'web', alerts: [[ANN]] }],
      workTimes: { maxInFlightMs: 60_000 },
    })
    const {
      service,
      slack: { member },
    } = world
    const [{ uuid = '' } = {}] = await service.checksNamed('web')
    const [{ id = '' } = {}] = await service.alerts(uuid)
    await member.command('/hc', line.replace('ID', id))
    await service.faults({ method, path: CHECK, kind: 'status', status: 200, body: REFUSED, times: 1 })
    const refused = await member.submit(typed, { until: /Not today/ })
    expect(refused.text).toMatch(outcome)
    if (line === 'create') return
    const done = await member.submit(typed, { until: /Saved|Deleted|Added an alert|Recipients of|Removed/ })
    expect(done.text).not.toContain('Not today')
  },
)
