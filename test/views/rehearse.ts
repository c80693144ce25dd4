import { MINUTE_MS } from '@signalman/runtime'
import { EVERYONE } from '../../src/domain/roles.ts'
import { type SlackAnswers, startStubbedApp } from '../bot/access/slack-stub.ts'
import { untilPolledAgain } from '../features/watching/polled-again.ts'
import { addGrant } from '../give-role.ts'
import type { Fault } from '../sandbox-control.ts'
import { createActor } from './actor.ts'
import {
  createSampleThreat,
  SAMPLE_ADDRESS,
  SAMPLE_CERTIFICATE,
  SAMPLE_CHANNEL,
  SAMPLE_CHECKS,
  SAMPLE_PERSON,
  SAMPLE_THREATS,
  SAMPLE_TOKEN,
  SAMPLE_WORKSPACE,
  SLACK_ANSWERS,
  THREAD_THREATS,
} from './sample-data.ts'

const CHECK = 'web-7'
/** The ID of its first alert: each check has two. */
const ALERT = '15'
/** There are two people, because the person who requests an order may not approve it. */
const REQUESTER = 'U0SAMPLE01'
const OTHER_PERSON = 'U0SAMPLE02'

const ARGUMENTS: Readonly<Record<string, string>> = {
  '/hc list': 'web-* --status HEALTHY',
  '/hc show': CHECK,
  '/hc edit': CHECK,
  '/hc delete': CHECK,
  '/hc alerts': CHECK,
  '/hc alert-add': CHECK,
  '/hc alert-edit': `${CHECK} ${ALERT}`,
  '/hc alert-remove': `${CHECK} ${ALERT}`,
  '/hc recipients': SAMPLE_ADDRESS,
  '/hc watch': 'web-*',
  '/hc mute': `${CHECK} 2h`,
  '/hc watches': '--all',
  '/hc watch-resume': SAMPLE_CHANNEL,
  '/hc page': 'web-2',
  '/hc history': `${CHECK} 30d`,
  '/hc grant': `<@${OTHER_PERSON}> operator 8h`,
  '/hc revoke': `<@${OTHER_PERSON}> operator --yes`,
  '/threat help': '',
  '/threat queue': '',
  '/cert-order': '',
  '/cert-order renew': SAMPLE_CERTIFICATE,
  '/cert-order reissue': SAMPLE_CERTIFICATE,
  '/cert-order resolve': '1 failed',
}

/** The default argument of each command, for its verbs that aren't listed above. */
const DEFAULT_ARGUMENTS: Readonly<Record<string, string>> = {
  threat: SAMPLE_THREATS[0],
  'cert-order': '1',
}

function sampleLine({ command, verb }: { command: string; verb: string }): string {
  const line = `/${command} ${verb}`.trim()
  return `${line} ${ARGUMENTS[line] ?? DEFAULT_ARGUMENTS[command] ?? ''}`.trim()
}

/** The app assumes that a request that didn't reach the service within this time was never sent. */
const SETTLED_AFTER_MS = 100
/** What is typed about each of three orders for the same key. The first is placed, and the outcome of the last is unknown. */
const ORDER_DECISIONS: readonly { lines: readonly string[]; faults: readonly Fault[] }[] = [
  { lines: ['/cert-order approve 1'], faults: [] },
  { lines: ['/cert-order reject 2'], faults: [] },
  {
    lines: ['/cert-order approve 3', '/cert-order resolve 3 failed'],
    faults: [{ method: 'POST', path: '/ssl', kind: 'status', status: 503 }],
  },
]
/** Deletions are done without an effect, so that everything can be shown after them. */
const DELETE_NOTHING: Fault = {
  ...{ method: 'DELETE', path: '/', kind: 'status', times: 10_000 },
  ...{ status: 200, body: { message: 'OK' } },
}
/** Two of what a channel can have many of. */
const WATCH_LINES = [
  '/hc unmute all --env production',
  '/hc watch web-* --env production --escalate "10m @oncall, 30m @leads"',
  '/hc watch web-0 --env production --runbook https://www.example.com/runbook --escalate "5m @leads"',
]
/** Nobody is in the second one, so that the owner of a watch gets its pages. */
const GROUPS = { S0SAMPLE01: [REQUESTER], S0SAMPLE02: [] }
const THREAD = '7.7'
/** The longest that polls are apart. */
const MAX_POLL_MS = 5000
const SECOND_LINES = [
  `/threat take ${SAMPLE_THREATS[1]}`,
  '/hc mute web-9 2h',
  '/hc mute web-13 3h',
  '/hc watch web-13',
]

const OTHER_LINES = [
  '/threat queue',
  `/threat ${SAMPLE_THREATS.join(' ')}`,
  `/threat take ${SAMPLE_THREATS[1]}`,
  '/hc watches',
  '/hc list unwatched',
  '/hc revoke everyone approver',
]

/** What is down is somebody's already, and then somebody else's. */
const ON_IT = [
  { userId: REQUESTER, line: /^\/hc watch-ack (?!.*--over)/ },
  { userId: OTHER_PERSON, line: /^\/hc watch-ack (?!.*--over)/ },
  { userId: OTHER_PERSON, line: /^\/hc watch-ack .*--over/ },
]

/**
 * Runs the app with sample data, types every command, submits every form, and presses every kind of button once. The database is in
 * memory, and the servers are on the loopback interface. Resolves with all views that the app would have shown in Slack, the verbs that
 * were used, and the forms that were submitted.
 */
export async function rehearse(prefix: string) {
  let isArchived = false
  const answers: SlackAnswers = {
    ...SLACK_ANSWERS,
    'chat.postMessage': ({ channel }) =>
      isArchived && channel === SAMPLE_CHANNEL ? { ok: false, error: 'is_archived' } : {},
  }
  const people = [REQUESTER, OTHER_PERSON].map((userId) => ({ userId, slack: SAMPLE_PERSON }))
  const unconnected = await showHome(people, prefix)
  let aheadMs = 0
  await using stubbed = await startStubbedApp(people, {
    now: () => new Date(Date.now() + aheadMs),
    environment: { API_OTE_TOKEN: SAMPLE_TOKEN, COMMAND_PREFIX: prefix },
    sandbox: { token: SAMPLE_TOKEN },
    ...{ answers, groups: GROUPS },
    // More often than the setting for operators allows.
    watchEveryMs: 200,
    workTimes: { maxInFlightMs: SETTLED_AFTER_MS },
  })
  const { app, sandbox, service } = stubbed
  for (const check of SAMPLE_CHECKS) await service.addCheck(check)
  for (const id of [...SAMPLE_THREATS, ...THREAD_THREATS])
    await service.storeThreat(id, createSampleThreat(sandbox.productionUrl, id))
  const actor = createActor(stubbed, prefix)
  // Before anybody has a role.
  await actor.home()
  for (const role of ['operator', 'approver', 'admin'] as const)
    await addGrant(app.store, SAMPLE_WORKSPACE, role, EVERYONE, REQUESTER, new Date())
  for (const { lines, faults } of ORDER_DECISIONS) {
    await actor.type(REQUESTER, '/cert-order')
    await actor.home()
    await service.faults(...faults)
    for (const line of lines) await actor.type(OTHER_PERSON, line)
  }
  await service.faults(DELETE_NOTHING)
  for (const id of THREAD_THREATS) {
    await actor.type(REQUESTER, `/threat ${id}`)
    await actor.press(REQUESTER, new RegExp(`^/threat .*${id}.* --share`), THREAD)
  }
  await actor.mention(OTHER_PERSON, 'who has this?', THREAD)
  // Nothing is watched yet.
  await actor.type(OTHER_PERSON, '/hc page web-2')
  for (const { command, verb } of app.routes.verbs)
    await actor.type(OTHER_PERSON, sampleLine({ command, verb }), `/${command} ${verb}`.trim())
  const [first] = await service.checksNamed('web-11')
  await actor.type(OTHER_PERSON, '/hc edit web-11', '/hc edit', {
    answers: { frequency: { type: 'plain_text_input', value: '120' } },
    meanwhile: () => service.change(first?.uuid ?? '', { name: 'web-11', port: 8443 }),
  })
  for (const line of SECOND_LINES) await actor.type(REQUESTER, line)
  for (const line of OTHER_LINES) await actor.type(OTHER_PERSON, line)
  await actor.pressAll()
  for (const line of [...WATCH_LINES, '/hc who']) await actor.type(OTHER_PERSON, line)
  for (const { userId, line } of ON_IT) await actor.press(userId, line)
  await actor.type(OTHER_PERSON, '/hc page web-2')
  await actor.watch()
  await actor.type(OTHER_PERSON, '/hc history web-* 30d')
  // Not so much that the time until the next poll counts as not seen.
  aheadMs += MINUTE_MS - MAX_POLL_MS
  await untilPolledAgain(stubbed, 4)
  await actor.type(OTHER_PERSON, '/hc history web-7 1m')
  // The channel is archived while something is posted in it, and the service stops answering.
  await actor.setStatuses('UNHEALTHY', ['web-3', 'web-7'])
  await actor.until('web-3', actor.listShown().length)
  isArchived = true
  await actor.setStatuses('HEALTHY', ['web-3', 'web-7'])
  await actor.until('archived')
  await actor.type(REQUESTER, `/threat take ${SAMPLE_THREATS[2]}`)
  await actor.type(OTHER_PERSON, '/hc watches')
  isArchived = false
  await actor.press(OTHER_PERSON, /^\/hc watch-resume/)
  await actor.type(OTHER_PERSON, '/hc revoke everyone operator')
  await service.faults({ method: 'GET', path: '/', kind: 'status', status: 503, times: 10_000 })
  await actor.home()
  await untilPolledAgain(stubbed, 6, 503)
  aheadMs += 10 * MINUTE_MS
  await actor.until('I can’t see')
  await actor.type(OTHER_PERSON, '/hc watches')
  return { shown: [...unconnected, ...actor.listShown()], verbs: actor.verbs, forms: actor.forms }
}

/** The Home of a workspace without a token. */
async function showHome(people: Parameters<typeof startStubbedApp>[0], prefix: string) {
  const environment = { API_TOKEN: '', COMMAND_PREFIX: prefix }
  await using stubbed = await startStubbedApp(people, { environment, answers: SLACK_ANSWERS })
  const actor = createActor(stubbed, prefix)
  await actor.home()
  return actor.listShown()
}
