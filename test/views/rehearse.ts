import { EVERYONE } from '../../src/domain/roles.ts'
import { startStubbedApp } from '../bot/access/slack-stub.ts'
import { createActor } from './actor.ts'
import {
  SAMPLE_ADDRESS,
  SAMPLE_CERTIFICATE,
  SAMPLE_PERSON,
  SAMPLE_THREAT,
  SAMPLE_WORKSPACE,
  SLACK_ANSWERS,
} from './sample-data.ts'
import { startSampleService } from './sample-service.ts'

const CHECK = 'web-7'
/** There are two people, because the person who requests an order may not approve it. */
const REQUESTER = 'U0SAMPLE01'
const OTHER_PERSON = 'U0SAMPLE02'

/** Arguments for verbs that need them. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  '/hc list': 'web-* --status HEALTHY',
  '/hc show': CHECK,
  '/hc edit': CHECK,
  '/hc delete': CHECK,
  '/hc alerts': CHECK,
  '/hc alert-add': CHECK,
  '/hc alert-edit': `${CHECK} 1`,
  '/hc alert-remove': `${CHECK} 1`,
  '/hc recipients': SAMPLE_ADDRESS,
  '/hc watch': 'web-*',
  '/hc mute': `${CHECK} 2h`,
  '/hc watches': '--all',
  '/hc page': 'web-2',
  '/hc history': `${CHECK} --days 30`,
  '/hc grant': `<@${OTHER_PERSON}> operator 8h`,
  '/hc revoke': `<@${OTHER_PERSON}> operator`,
  '/threat help': '',
  '/threat queue': '',
  '/cert-order': '',
  '/cert-order renew': SAMPLE_CERTIFICATE,
  '/cert-order reissue': SAMPLE_CERTIFICATE,
  '/cert-order resolve': '1 failed',
}

/** The default argument of each command, for its verbs that aren't listed above. */
const DEFAULT_ARGUMENTS: Readonly<Record<string, string>> = { threat: SAMPLE_THREAT, 'cert-order': '1' }

/** Returns a line with this verb and suitable arguments, as a person might type it. */
function sampleLine({ command, verb }: { command: string; verb: string }): string {
  const line = `/${command} ${verb}`.trim()
  return `${line} ${ARGUMENTS[line] ?? DEFAULT_ARGUMENTS[command] ?? ''}`.trim()
}

/** The app assumes that a request that didn't reach the service within this time was never sent. */
const SETTLED_AFTER_MS = 100
/** What is typed about each of three orders for the same key. The first is placed, and the outcome of the last is unknown. */
const ORDER_DECISIONS = [
  ['/cert-order approve 1'],
  ['/cert-order reject 2'],
  ['/cert-order approve 3', '/cert-order resolve 3 failed'],
]
const WATCH_LINES = ['/hc unmute all', '/hc watch web-*']

/**
 * Runs the app with sample data, types every command, submits every form, and presses every kind of button once. The database is in
 * memory, and the servers are on the loopback interface. Resolves with all views that the app would have shown in Slack, the verbs that
 * were used, and the forms that were submitted.
 */
export async function rehearse(prefix: string) {
  await using service = await startSampleService()
  const people = [REQUESTER, OTHER_PERSON].map((userId) => ({ userId, slack: SAMPLE_PERSON }))
  await using stubbed = await startStubbedApp(people, {
    environment: {
      API_BASE_URL: service.url,
      API_OTE_BASE_URL: service.url.replace('127.0.0.1', 'localhost'),
      API_TOKEN: 'sample-token-of-nobody',
      API_OTE_TOKEN: 'sample-token-of-nobody',
      COMMAND_PREFIX: prefix,
    },
    answers: SLACK_ANSWERS,
    // Twice a second, more often than the setting for operators allows.
    watchEveryMs: 500,
    workTimes: { maxInFlightMs: SETTLED_AFTER_MS },
  })
  const { app } = stubbed
  for (const role of ['operator', 'approver', 'admin'] as const)
    await app.store.grants.add(SAMPLE_WORKSPACE, role, EVERYONE, REQUESTER, new Date())
  const actor = createActor(stubbed, service, prefix)
  for (const lines of ORDER_DECISIONS) {
    await actor.type(REQUESTER, '/cert-order')
    await actor.home()
    for (const line of lines) await actor.type(OTHER_PERSON, line)
  }
  for (const { command, verb } of app.routes.verbs)
    await actor.type(OTHER_PERSON, sampleLine({ command, verb }), `/${command} ${verb}`.trim())
  await actor.pressAll()
  for (const line of WATCH_LINES) await actor.type(OTHER_PERSON, line)
  await actor.watch()
  return { shown: [...actor.listShown()], verbs: actor.verbs, forms: actor.forms }
}
