import { cmd } from '../../domain/command-names.ts'
import { editDistance } from '../../domain/edit-distance.ts'
import type { Word } from '../../domain/quoting.ts'
import type { Verb } from '../routes/routes.ts'
import { stripMarks } from './question-marks.ts'

/** Words of other tools for our verbs, of which one is meant that reads the whole line. `/hc` is that command without a verb, and `/threat queue` only means that one. */
const OTHER_WORDS = new Map(
  Object.entries({
    'show|/hc|/threat': 'status state check view info details describe lookup',
    'show|/hc|/threat|/cert-order': 'get',
    '/cert-order': 'order request buy certificate cert',
    'list|queue': 'list ls open',
    '/cert-order list': 'orders',
    '/threat queue': 'cases',
    'approve|queue': 'todo review',
    'queue mine': 'mine',
    'list|/hc|/threat': 'find search show',
    'create|recipients --add|grant|/cert-order': 'add',
    'create|/cert-order': 'new monitor',
    'edit|recipients': 'update change set rename replace',
    'delete|withdraw|recipients --remove|revoke': 'rm remove drop destroy',
    'mute|unwatch': 'stop',
    'unmute|withdraw': 'cancel unsilence unsnooze resume unpause enable',
    'mute|maintenance': 'silence snooze pause disable suppress quiet',
    'maintenance|history': 'downtime',
    // A mute has no beginning: `mute shop* from 22:00 until 23:30`.
    maintenance: 'maint schedule mute',
    'watch|recipients --add': 'subscribe follow route send post move tell notify',
    'unwatch|recipients --remove': 'unsubscribe unsub unfollow',
    watches: 'watching silences silenced muted mutes subscriptions',
    history: 'uptime availability outages outage incidents sla report stats timeline',
    down: 'broken failing red problems',
    audit: 'log logs auditlog changed changes edited',
    list: 'requests past',
    access: 'whoami permissions approvers',
    'access|grant': 'roles',
    grant: 'role promote give make',
    revoke: 'demote',
    page: 'escalate assign reassign handover handoff hand ping',
    who: 'ack acknowledge take takeover claim own unack unassign release',
    'recipients --add|alerts': 'email emails mail',
    connect: 'login token',
    env: 'switch environment',
    note: 'comment',
    help: '--help -h',
    take: 'claim reopen',
    approve: 'accept ok lgtm approvals',
    reject: 'deny decline',
    close: 'resolve',
    again: 'reorder repeat copy clone duplicate',
    settings: 'config channel domains allow',
  }).flatMap(([verbs, words]) => words.split(' ').map((word) => [word, verbs.split('|')] as const)),
)

/** Finds the verbs that a word may mean, with what it adds: by its name, as a word of another tool, or with one letter wrong. */
export function findVerbs(known: ReadonlyMap<string, Verb>, word: string): { verb: Verb; added: string }[] {
  const typed = word.toLowerCase()
  const exact = known.get(typed)
  const found = (OTHER_WORDS.get(typed) ?? []).flatMap((other) => {
    const bare = known.get('')
    const [name = '', ...added] = other.replace(`${bare?.line} `, '').split(' ')
    const verb = name === bare?.line ? bare : known.get(name)
    return verb ? [{ verb, added: added.join(' ') }] : []
  })
  const others = exact && !exact.hidden ? [{ verb: exact, added: '' }, ...found] : found
  if (others.length > 0) return others
  const near = [...known.values()].find(({ verb, hidden }) => !hidden && isNear(typed, verb))
  return near ? [{ verb: near, added: '' }] : []
}

const sortLetters = (word: string): string => [...word].toSorted().join('')

/** A short word is near many, so it needs the same letters. */
const isNear = (typed: string, verb: string): boolean =>
  verb.length > 3 &&
  editDistance(typed, verb, 1) === 1 &&
  (typed.length > 4 || sortLetters(typed) === sortLetters(verb))

/** What to do instead of what Signalman doesn't do, by the command and the words that say it there. */
const INSTEAD: Readonly<Record<string, string>> = {
  'hc: assign, reassign, handover, handoff, hand, hand over, hand off':
    'You can’t put someone else on an outage, but you can page them: `/hc page NAME @person`.',
  'hc: oncall, on-call, on call, on duty, rotation, override, escalation':
    'Signalman has no on-call schedule, but each watch says whom it pages: `/hc watches`.',
  'hc: run, test, send test, recheck, check again, restart, reboot, fix, trigger':
    'Signalman can’t check now, test an alert, or repair anything.',
  'hc: undo, revert, restore, clone, copy, duplicate':
    'There’s no undo or copy, but the result of a change, where you made it or in your DM with Signalman, has “Go back…”.',
  'hc: note, comment, postmortem':
    'Signalman keeps no notes about outages, so write them in the thread of the outage’s message.',
  'hc: tag, tags, owner, owners, timeout, set timeout': 'A health check has no timeout, owner, or tags.',
  'hc: tell me, notify me, only me, remind, call, dm, sms, alert me, ping me, text me, email me, jira, ticket, pagerduty, opsgenie, webhook, teams':
    'Signalman posts outages and recoveries only in channels, where a watch can page you: `/hc watch NAME --escalate "5m @you"`.',
  'hc: weekly, daily, monthly, weekly report, report every, report weekly, send report':
    'Signalman sends no regular reports, but you can share `/hc history 7d` with the channel.',
  'threat: block, takedown, report, watch, subscribe, notify, new':
    'Signalman only reads threat events, so it can’t tell you of new ones, or report, block, or take down a site.',
  'threat: assign, reassign, handover, hand, escalate':
    'A case can’t be handed over or escalated, but whoever works on it can take it: `/threat take ID`.',
  'cert-order: edit, modify, change, revoke, validate, dcv, download':
    'An order can’t be changed, only withdrawn and requested again, and its certificate is managed at the service.',
  'cert-order: remind, delegate, assign, handover, hand, nudge, deputy, vacation':
    'Any approver can decide an order, and they’re reminded after 24 hours.',
}

const BY_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries(INSTEAD).flatMap(([key, note]) => {
    const [command = '', words = ''] = key.split(': ')
    return words.split(', ').map((word) => [`${command} ${word}`, note])
  }),
)

/**
 * What to do instead of what a line begins with or, `isAnywhere`, of any of its words: by two of them, or one. What
 * begins with a word for one of the `known` verbs of its command isn't about outages.
 */
export function findInstead(
  command: string,
  words: readonly Word[],
  { isAnywhere = false, known }: { isAnywhere?: boolean; known?: ReadonlyMap<string, Verb> } = {},
): string | undefined {
  const texts = words
    .filter((word) => !isSmall(word))
    .map(({ text, isQuoted }) => (isQuoted ? '' : stripMarks(text).rest.toLowerCase()))
  const all = texts.flatMap((text, at) => [`${text} ${texts[at + 1]}`, text])
  const first = all.slice(0, 2)
  const isOurs = known !== undefined && findVerbs(known, texts[0] ?? '').length > 0
  // What is about no command is mostly said of outages.
  const keys = [
    ...(isAnywhere ? all : first).map((key) => `${command} ${key}`),
    ...(isOurs ? [] : first.map((key) => `hc ${key}`)),
  ]
  const found = keys.map((key) => BY_WORDS.get(key)).find((each) => each !== undefined)
  return found?.replaceAll(/(?<=`)\/[^`]+/g, cmd)
}

const isSmall = ({ text, isQuoted }: Word): boolean => !isQuoted && /^(?:a|an|the)$/i.test(text)
