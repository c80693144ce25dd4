/** Verbs of other tools, beside ours with the same arguments. Of several of ours, a command has one. None of them runs: it's offered. */
const OTHER_VERBS: readonly (readonly [ours: string, others: string])[] = [
  ['mute', 'silence snooze suppress quiet'],
  ['unmute', 'unsilence unsnooze'],
  ['maintenance', 'downtime maint'],
  ['watch', 'subscribe follow notify alert route'],
  ['unwatch', 'unsubscribe unfollow stop leave'],
  ['history list', 'uptime sla stats incidents outages outage timeline report'],
  ['show list bare queue', 'status state get info details describe check view lookup'],
  ['list bare queue', 'ls find search'],
  ['create bare', 'add new request monitor'],
  ['edit', 'set update change rename'],
  ['delete withdraw', 'remove rm cancel undo'],
  ['take approve', 'claim accept ok lgtm reopen'],
  ['close reject', 'resolve deny decline'],
  ['note', 'comment'],
  ['env', 'switch environment'],
]
/** What stands for the command without a verb. */
const BARE = 'bare'

/** Other words for our flags. */
const OTHER_FLAGS = new Map([
  ['url', 'target'],
  ['host', 'target'],
  ['path', 'target'],
  ['interval', 'frequency'],
])

export const findOurFlag = (word: string): string => OTHER_FLAGS.get(word) ?? word

/** What Signalman doesn't do, or does in another way: the words that begin a line for it (`.` is its end), what to know, and the verb that leads on. */
const INSTEADS: readonly (readonly [command: string, phrases: string, note: string, verb: string])[] = [
  [
    'hc',
    'on call, oncall, on-call, override, rotation, schedule ., who is on call, who is responsible, who gets paged',
    'Signalman has no on-call schedule. Each watch says whom it pages.',
    'watches',
  ],
  [
    'hc',
    'silences, mutes, muted, watching, maintenances, subscriptions, maintenance list, show silences',
    'What this channel watches, and what is muted or in maintenance, is one list.',
    'watches',
  ],
  [
    'hc',
    'end maintenance, cancel maintenance, maintenance cancel, maintenance end, stop maintenance, cancel downtime, cancel mute, delete mute, end mute, stop mute, stop muting',
    'Mutes and maintenance end with the same command.',
    'unmute',
  ],
  ['hc', 'alerts off, stop alerts, end', 'To stop alerts here, end the watch, or mute all.', 'unwatch'],
  ['hc', 'pause, disable, turn off', 'A health check can’t be paused. Mute it here, or delete it.', 'mute'],
  ['hc', 'resume, enable, turn on', 'A health check is always on. This ends a mute of it:', 'unmute'],
  ['hc', 'test alert, test notification', 'There are no test alerts. These are the watches:', 'watches'],
  ['hc', 'doctor, ping, connection', 'Signalman is running. This asks the service:', ''],
  [
    'hc',
    'run, test',
    'The service checks at each health check’s own interval, and can’t be asked to check now. To check more often, change the interval.',
    'show',
  ],
  ['hc', 'why, cause', 'The service doesn’t say why a health check is down. This is what is known:', 'show'],
  ['hc', 'restart, reboot', 'Signalman can’t restart anything. This is the health check:', 'show'],
  [
    'hc',
    "i'm on it, ack, ackall, acknowledge, claim, own, resolve, close",
    'An outage ends by itself when its health check is up again. To tell others that you’re on it, press “I’m on it” on its message. To stop alerts, mute it.',
    'show',
  ],
  [
    'hc',
    'assign, reassign, take, takeover, hand, handover',
    'Nobody can be assigned to an outage. Whoever takes it presses “I’m on it” or “Take over” on its message.',
    'show',
  ],
  [
    'hc',
    'unack, unacknowledge, unassign, release, step down, stand down',
    'Whoever is on an outage finds “Step down” in the menu (⋯) of its message.',
    'show',
  ],
  ['hc', 'escalate, trigger', 'To page people now, press “Page now” on the outage’s message.', 'show'],
  ['hc', 'call me, phone, dm, tell me', 'A phone or a DM can’t watch. A channel can:', 'watch'],
  ['hc', 'incident, note, comment', 'To say something about an outage, reply in its thread.', 'down'],
  ['hc', 'statuspage', 'Signalman has no status page for others. This is what’s down:', 'down'],
  ['hc', 'broken, failing, firing, offline, critical', 'These health checks are down:', 'down'],
  ['hc', 'latency, response time, graph', 'Signalman knows no response times, only outages:', 'history'],
  [
    'hc',
    'whoami, who is admin, who can, permissions, roles, settings, config',
    'Admins find the settings in Signalman’s Home tab. This shows what you can do, and who can change it:',
    'access',
  ],
  ['hc', 'make, give, role', 'An admin grants a role: `/hc grant @person operator`.', 'grant'],
  ['hc', 'log, logs, auditlog, who muted, who changed, what changed', 'Admins see who did what:', 'audit'],
  ['hc', 'who gets emails, who is notified, who does', 'A health check shows whom it emails:', 'show'],
  ['hc', 'who ., who is on it, who is working', 'The list of what is down says who is on it:', 'down'],
  ['hc', 'revert, undelete, restore', 'To undo a change, import its file before.csv:', 'import'],
  ['hc', 'csv, download', 'Health checks go out and in as a CSV file.', 'export'],
  ['hc', 'alerts none, list --no-recipients', 'The exported file shows which ones email nobody:', 'export'],
  ['hc', 'token, login, api key', 'The service’s token is stored once, by an admin.', 'connect'],
  [
    'threat',
    'block, takedown, take down, report',
    'Signalman only reads threat events: it can’t report, block, or take down a site. `/threat export ID` lists an event’s indicators for the tools that can.',
    'export',
  ],
  [
    'threat',
    'assign, reassign, unassign, escalate',
    'A case can’t be handed over or escalated. Whoever works on it takes it.',
    'take',
  ],
  [
    'threat',
    'watch, subscribe, notify',
    'The service finds threat events only by ID, so Signalman can’t tell you of new ones. These are the open cases:',
    'queue',
  ],
  ['threat', 'open, list, new', 'Events are found only by ID. These are the open cases:', 'queue'],
  ['cert-order', 'fail, failed, mark', 'An order shows what can be done about it:', 'show'],
  [
    'cert-order',
    'generate, upload',
    'Signalman makes no keys. Make a request (CSR) where the key will stay, and paste or upload it:',
    '/cert-order',
  ],
  [
    'cert-order',
    'edit, modify, change duration',
    'An order can’t be changed. Withdraw it, and then request it again with other values.',
    'withdraw',
  ],
  [
    'cert-order',
    'export, csv, report, billing',
    'Orders have no export. The audit log, which admins can export, has each of them with its billing number:',
    '/hc audit cert-order',
  ],
  [
    'cert-order',
    'my cert, my certificate, my order, my orders',
    'These are your orders:',
    '/cert-order list mine',
  ],
  [
    'cert-order',
    'todo, approvals, approval, review, inbox',
    'These orders wait for approval:',
    '/cert-order list pending',
  ],
  ['cert-order', 'config, channel, domains, allow', 'Admins can change the settings for orders:', 'settings'],
  [
    'cert-order',
    'expiring, expires, expire, expiry',
    'The service lists no certificates, so Signalman can’t say which ones expire. It reminds once, from what was ordered.',
    'list',
  ],
  [
    'cert-order',
    'revoke',
    'A certificate can’t be revoked here: ask the service. This is its order:',
    'show',
  ],
  [
    'cert-order',
    'validation, validate, dcv, dns record',
    'Signalman doesn’t know what proves control of the names: ask the service. This is the order:',
    'show',
  ],
  [
    'cert-order',
    'download',
    'A certificate can’t be downloaded here, and Signalman doesn’t know where it arrives: ask the service. This is its order:',
    'show',
  ],
  [
    'cert-order',
    'who can approve, who approves, approvers, assign, delegate',
    'Every approver can decide on an order.',
    '/hc access',
  ],
]

/** What a word at the beginning of a line asks for. */
export interface Meaning {
  /** The words for it. */
  readonly at: number
  readonly count: number
  /** Our verbs, best first. */
  readonly verbs: readonly string[]
  readonly note?: string
}

/** How far into a line a verb is looked for. */
const MAX_BEFORE_VERB = 6

/**
 * What the first words of a line ask for, in their order. `words` are in lowercase: '' for one that is a value, and a flag with its dashes.
 * What Signalman doesn't do is asked before any verb.
 */
export function findMeanings(
  command: string,
  words: readonly string[],
  isVerb: (word: string) => boolean,
): readonly Meaning[] {
  const meanings = [...words.slice(0, MAX_BEFORE_VERB).keys()].flatMap(
    (at) => findMeaning(command, words, at, isVerb) ?? [],
  )
  const [first] = meanings
  // A line that begins with one of our verbs means that one.
  const isOne = first?.note !== undefined || (first?.at === 0 && first.verbs[0] === words[0])
  return isOne ? [first] : meanings.filter(({ note }) => note === undefined)
}

function findMeaning(
  command: string,
  words: readonly string[],
  at: number,
  isVerb: (word: string) => boolean,
): Meaning | undefined {
  const text = `${words.slice(at).join(' ')} . `
  for (const [commands, phrases, note, verb] of INSTEADS) {
    const phrase = phrases.split(', ').find((each) => text.startsWith(`${each} `))
    if (commands === command && phrase) return { at, count: phrase.split(' ').length, verbs: [verb], note }
  }
  const word = words[at] ?? ''
  if (word === '') return undefined
  const verbs = isVerb(word) ? [word] : findOurVerbs(word).filter(isVerb)
  return verbs.length > 0 ? { at, count: 1, verbs } : undefined
}

/** Our verbs for a word of another tool, or for one of ours that another command has. */
function findOurVerbs(word: string): readonly string[] {
  const row = OTHER_VERBS.find(
    ([ours, others]) => `${ours} `.startsWith(`${word} `) || others.split(' ').includes(word),
  )
  return row?.[0].split(' ').map((verb) => (verb === BARE ? '' : verb)) ?? []
}
