import { cmd } from '../../domain/command-names.ts'
import { editDistance } from '../../domain/edit-distance.ts'
import type { Word } from '../../domain/quoting.ts'
import type { Verb } from './routes.ts'

/** Other tools' words for our verbs, of which the one is meant that uses most of the line. `''` is the command without a verb. */
const OTHER_WORDS = new Map(
  Object.entries({
    'show|': 'status state get check view info details describe lookup',
    'list|queue': 'ls open',
    'list|': 'find search',
    queue: 'list',
    list: 'audit history requests',
    'create|recipients|grant|': 'add',
    'create|': 'new request',
    'edit|recipients': 'update change set rename replace',
    'delete|withdraw|recipients|revoke': 'rm remove drop destroy',
    'unmute|withdraw': 'cancel unsilence unsnooze resume unpause enable',
    'mute|maintenance': 'silence snooze pause disable suppress quiet',
    maintenance: 'downtime maint schedule',
    'watch|recipients': 'subscribe follow route send post move',
    'unwatch|recipients': 'unsubscribe unfollow',
    watches: 'watching silences silenced muted mutes subscriptions',
    history: 'uptime availability outages outage incidents sla report stats timeline',
    down: 'broken failing red problems',
    audit: 'log logs auditlog',
    access: 'whoami roles permissions approvers',
    grant: 'role promote give make',
    revoke: 'demote',
    'page|watch': 'escalate',
    'alerts|recipients': 'email emails mail',
    'export|list': 'export download backup',
    'import|': 'upload',
    connect: 'login token',
    env: 'switch environment',
    note: 'comment',
    take: 'claim reopen',
    approve: 'accept ok lgtm',
    reject: 'deny decline',
    close: 'resolve',
    again: 'reorder repeat copy clone duplicate',
    reissue: 'rekey',
    settings: 'config channel domains allow',
    version: 'about',
    '': 'order',
  }).flatMap(([verbs, words]) => words.split(' ').map((word) => [word, verbs.split('|')] as const)),
)

/** Finds the verbs that a word may mean: by its name, as a word of another tool, or with one letter wrong. */
export function findVerbs(known: ReadonlyMap<string, Verb>, word: string): readonly Verb[] {
  const typed = word.toLowerCase()
  const exact = known.get(typed)
  if (exact && !exact.hidden) return [exact]
  const others = (OTHER_WORDS.get(typed) ?? []).flatMap((other) => known.get(other) ?? [])
  if (others.length > 0) return others
  const near = [...known.values()].find(({ verb, hidden }) => !hidden && isNear(typed, verb))
  return near ? [near] : []
}

const sortLetters = (word: string): string => [...word].toSorted().join('')

/** A short word is near many, so it needs the same letters. */
const isNear = (typed: string, verb: string): boolean =>
  verb.length > 3 &&
  editDistance(typed, verb, 1) === 1 &&
  (typed.length > 4 || sortLetters(typed) === sortLetters(verb))

/** What to do instead of what Signalman doesn't do, and where. */
interface Instead {
  readonly note: string
  readonly line: string
}

const INSTEAD: ReadonlyMap<string, Instead> = new Map(
  Object.entries({
    'hc ack': {
      note: 'To say that you’re on an outage, press “I’m on it” on its message.',
      line: '/hc who',
    },
    'hc assign': {
      note: 'You can’t put someone else on an outage: they press “Take over” on its message.',
      line: '/hc who',
    },
    'hc resolve': {
      note: 'An outage ends when the service says that the health check is up again.',
      line: '/hc down',
    },
    'hc oncall': {
      note: 'Signalman has no on-call schedule. A watch says whom it pages.',
      line: '/hc watches',
    },
    'hc test': {
      note: 'Signalman can’t check now: the service checks at each health check’s own interval.',
      line: '/hc down',
    },
    'hc why': {
      note: 'The service doesn’t say why a health check is down.',
      line: '/hc down',
    },
    'hc undo': {
      note: 'To undo a change, import its `before.csv`, from your DM with Signalman.',
      line: '/hc import',
    },
    'hc dm': {
      note: 'Signalman posts outages in channels, where a watch can mention you.',
      line: '/hc help watch',
    },
    'threat block': {
      note: 'Signalman can’t block a site. Export the indicators of its event for a tool that can: `/threat export ID`.',
      line: '/threat queue',
    },
    'threat takedown': {
      note: 'Signalman can’t take down a site. A case says who works on it, and how it ended.',
      line: '/threat queue',
    },
    'threat watch': {
      note: 'Signalman can’t tell you of new threat events: the service finds them only by ID.',
      line: '/threat queue',
    },
    'cert-order expiring': {
      note: 'The service has no list of certificates, so Signalman can’t say which ones expire.',
      line: '/cert-order list',
    },
    'cert-order edit': {
      note: 'An order can’t be changed: while it waits for approval, withdraw it, and request it again.',
      line: '/cert-order list mine',
    },
    'cert-order download': {
      note: 'You can download a certificate only at the service.',
      line: '/cert-order list',
    },
    'cert-order revoke': {
      note: 'You can revoke a certificate only at the service.',
      line: '/cert-order list',
    },
  }),
)

/** What to do instead of what a line begins with. */
export function findInstead(command: string, [first]: readonly Word[]): Instead | undefined {
  const word = first?.isQuoted ? '' : first?.text.toLowerCase()
  const found = INSTEAD.get(`${command} ${word}`)
  return found && { ...found, note: found.note.replaceAll(/(?<=`)\/[^`]+/g, cmd) }
}
