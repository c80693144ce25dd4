import { randomBytes } from 'node:crypto'
import { startApp } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { EVERYONE } from '../../domain/roles.ts'
import { createLog } from '../../log.ts'
import { createActor } from './actor.ts'
import { startCounterpart } from './counterpart.ts'
import { SAMPLE_ADDRESS, SAMPLE_CERTIFICATE, SAMPLE_THREAT } from './sample-data.ts'
import { SAMPLE_WORKSPACE, type ShownView } from './sample-slack.ts'

/** The ids that lines are about. */
interface LineSubjects {
  check: string
  threat: string
  certificate: string
  person: string
}

const SAMPLE_SUBJECTS: LineSubjects = {
  check: 'web-7',
  threat: SAMPLE_THREAT,
  certificate: SAMPLE_CERTIFICATE,
  person: '<@U0SAMPLE02>',
}

/** The words after a verb that needs a subject. */
function wordsFor(line: string, { check, certificate, person }: LineSubjects): string {
  const words: Readonly<Record<string, string>> = {
    '/hc list': 'web-* --status HEALTHY',
    '/hc show': check,
    '/hc edit': check,
    '/hc delete': check,
    '/hc diagnose': check,
    '/hc alerts': check,
    '/hc alert-add': check,
    '/hc alert-edit': `${check} 1`,
    '/hc alert-remove': `${check} 1`,
    '/hc alert-recipients': `${check} 1`,
    '/hc clone': 'web-1* --suffix -copy',
    '/hc recipients': SAMPLE_ADDRESS,
    '/hc watch': 'web-*',
    '/hc mute': `${check} 2h`,
    '/hc watches': '--all',
    '/hc history': `${check} --days 30`,
    '/hc access-request': 'approver',
    '/hc grant': `${person} operator 8h`,
    '/hc token-generate': '--show',
    '/threat find': '192.0.2.1',
    '/cert-order renew': certificate,
    '/cert-order reissue': certificate,
    '/cert-order resolve': '1 failed',
  }
  return words[line] ?? (line.startsWith('/cert-order ') ? '1' : '')
}

/** A line with this verb, as a person might type it. */
function sampleLine({ command, verb }: { command: string; verb: string }, subjects: LineSubjects): string {
  const line = `/${command} ${verb}`.trim()
  const takesId = command === 'threat' && !['find', 'memory', 'help', 'queue'].includes(verb)
  return `${line} ${takesId ? subjects.threat : wordsFor(line, subjects)}`.trim()
}

/** The views of the app, and which verbs and forms were used. */
export interface Rehearsal {
  shown: readonly ShownView[]
  /** Lines that were typed or pressed, by command and verb. */
  verbs: ReadonlySet<string>
  /** Forms that were opened. */
  forms: ReadonlySet<string>
}

const MANY = 1_000_000
const BUDGETS = {
  personBurst: MANY,
  personPerMinute: MANY,
  personAtOnce: MANY,
  workspaceAtOnce: MANY,
  atOnce: MANY,
}
/** After this long a request that left no trace at the service was not sent. */
const SETTLED_AFTER_MS = 100
/** Three orders of one key, each begun once the one before is over: the first is placed, the outcome of the last is unknown. */
const DECIDED = [
  ['/cert-order approve 1'],
  ['/cert-order reject 2'],
  ['/cert-order edit 3', '/cert-order resolve 3 failed'],
]
const WATCHED = ['/hc unmute all', '/hc watch web-*']
/** The person who asks for an order may not approve it. */
const ASKER = 'U0SAMPLE01'
const OTHER = 'U0SAMPLE02'

/**
 * Runs the app itself against sample data, in memory and on the loopback, types every line there is, sends in every form and
 * presses every kind of button once. Resolves with all that it would have shown in Slack.
 */
export async function rehearse(prefix: string): Promise<Rehearsal> {
  await using counterpart = await startCounterpart()
  const secret = randomBytes(16).toString('hex')
  const config = readConfig({
    SLACK_SIGNING_SECRET: secret,
    SLACK_BOT_TOKEN: 'xoxb-sample',
    SLACK_API_URL: `${counterpart.url}/api/`,
    API_BASE_URL: counterpart.url,
    API_OTE_BASE_URL: counterpart.url,
    API_TOKEN: 'sample-token-of-nobody',
    API_OTE_TOKEN: 'sample-token-of-nobody',
    DATABASE_URL: 'sqlite::memory:',
    WATCH_INTERVAL_SECONDS: '1',
    COMMAND_PREFIX: prefix,
    HOST: '127.0.0.1',
    PORT: '0',
  })
  await using app = await startApp({
    config,
    log: createLog('silent'),
    budgets: BUDGETS,
    workTimes: { settleMs: SETTLED_AFTER_MS },
  })
  for (const role of ['operator', 'approver', 'admin'] as const)
    await app.store.grants.add(SAMPLE_WORKSPACE, role, EVERYONE, ASKER, new Date())
  const actor = createActor(app, counterpart, { secret, prefix })
  for (const lines of DECIDED) {
    await actor.type(ASKER, '/cert-order')
    await actor.home()
    for (const line of lines) await actor.type(OTHER, line)
  }
  for (const { command, verb } of app.routes.verbs)
    await actor.type(OTHER, sampleLine({ command, verb }, SAMPLE_SUBJECTS), `/${command} ${verb}`.trim())
  await actor.pressAll()
  for (const line of WATCHED) await actor.type(OTHER, line)
  await actor.watch()
  return { shown: [...counterpart.slack.shown], verbs: actor.verbs, forms: actor.forms }
}
