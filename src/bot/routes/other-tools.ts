/** None of these lines runs: our verb for it is offered, with what the person wrote. */
type Row = readonly [command: string, phrases: string, verbs: string, note?: string]

/**
 * Words for what Signalman doesn't do, or does in another way: the command (any if it's ''), the words that begin a line for it (`.` is
 * its end), our verbs, of which a command has one (`bare` is the one without a name), or a line, and what to know.
 */
const DONE_OTHERWISE: readonly Row[] = [
  [
    'hc',
    'on call, oncall, on-call, override, rotation, schedule ., who is on call, who is responsible, who gets paged, paging, escalation, silences, silenced, mutes, muted, paused, alerts go, which channels, watching, watched, unwatched, this channel watch, do we watch, maintenances, subscriptions, maintenance list, show silences, test alert, test notification',
    'watches',
    'Signalman has no on-call schedule and no test alerts. The watches say what is posted where, whom they page, and what is muted. To page someone now, type `/hc page NAME @person`.',
  ],
  [
    'hc',
    'maintenance cancel, maintenance end, resume, unpause, enable, turn on',
    'unmute',
    'The health check itself is always on. This ends a mute or maintenance:',
  ],
  ['hc', 'alerts off, stop alerts, end .', 'unwatch', 'To stop alerts here, end the watch, or mute all.'],
  ['hc', 'pause, disable, suspend', 'mute', 'A health check can’t be paused. Mute it here, or delete it.'],
  ['hc', 'doctor, ping ., connection', 'bare', 'Signalman is running. This asks the service:'],
  [
    'hc',
    'run, test, recheck, why, cause, reason, error, restart, reboot, fix, latency, response time, slow',
    'show down history',
    'The service checks at each health check’s own interval, and says neither why one is down nor how fast it answers. Signalman can’t check now or repair anything. This is what is known:',
  ],
  [
    'hc',
    'resolve, close, mark',
    'mute show down',
    'An outage ends by itself when its health check is up again. To stop alerts, mute it. To end paging about it, press “I’m on it” on its message.',
  ],
  [
    'hc',
    'on it, looking into, ack, ackall, acknowledge, claim, own, assign, reassign, take, takeover, hand, handover, unack, unassign, release, step down, stand down, trigger',
    'show mute down',
    'An outage ends by itself when its health check is up again. On its message, press “I’m on it”, “Take over”, or “Page now”. “Step down” is in its menu (⋯). To stop alerts, mute it.',
  ],
  [
    'hc',
    'page @ when, page @ if, call me, text me, remind me, phone, dm, sms, tell me, let me know, jira, ticket, tickets, pagerduty, opsgenie, teams, webhook, webhooks, integration, integrations',
    'watch',
    'Outages are posted to Slack channels, where a watch can mention people. The alerts of a health check are emails: `/hc alerts NAME`. Phones and other tools get nothing. A channel can watch:',
  ],
  [
    'hc',
    'incident, note, comment, who ., who is on, who is working, who took, who has, who handled, status page, broken, failing, firing, offline, critical, alerting, problems, issues, incidents ., outages ., wrong, ok, okay, alright, on fire',
    'down',
    'An outage’s message in the channel says who is on it, and its thread is for notes. This is what is known:',
  ],
  [
    'hc',
    'timeout, tag, tags, owner, owners',
    'edit',
    'A health check has no timeout, owner, or tags. Its settings are the name, protocol, target, port, time between checks, customer, server address, and SSL verification.',
  ],
  [
    'hc',
    'whoami, am i, what can, my role, allowed, who is admin, who can, permissions, roles, settings, config',
    'access',
    'Admins find the settings in Signalman’s Home tab. This shows what you can do, and who can change it:',
  ],
  [
    '',
    'make @, give @, let @, role, promote, make me, give me',
    '/hc grant',
    'An admin grants a role, such as `/hc grant @person operator`.',
  ],
  [
    'hc',
    'log, logs, auditlog, who muted, who changed, who deleted, who edited, who created, what changed',
    'audit',
    'Admins see who did what:',
  ],
  ['hc', 'who gets, who is notified, who does', 'show', 'A health check shows whom it emails:'],
  ['hc', 'email me, mail me', 'alerts', 'These are the emails about a health check:'],
  [
    'hc',
    'undo, revert, undelete, restore, from csv, from a csv, from file, from a file, csv import, clone, copy, duplicate',
    'import',
    'There’s no undo or copy, but an import takes a CSV file, such as an export. To undo a change, import its `before.csv`, from your DM with Signalman.',
  ],
  [
    'hc',
    'alerts none, list no-recipients, download, export to, export as, excel, spreadsheet, backup',
    '/hc export',
    'The exported file is CSV, which spreadsheets open, and which can be imported again. It shows which ones email nobody, too:',
  ],
  ['', 'token, login, api key', '/hc connect', 'The service’s token is stored once, by an admin.'],
  [
    'threat',
    'block, takedown, take down, report, found',
    'export',
    'Signalman only reads threat events: it can’t report, block, or take down a site. Ask the service, or export an event’s indicators for other tools: `/threat export ID`.',
  ],
  [
    'threat',
    'assign, reassign, unassign, handover, hand, escalate',
    'take queue',
    'A case can’t be handed over or escalated. Whoever works on it takes it.',
  ],
  [
    'threat',
    'open, list, cases, show ., new, how many, unassigned, watch, subscribe, notify',
    'queue',
    'Events are found only by ID, and Signalman can’t tell you of new ones. These are the open cases:',
  ],
  [
    'cert-order',
    'generate, upload, csr',
    '/cert-order',
    'Signalman makes no keys. Make a request (CSR) where the key will stay, and paste or upload it:',
  ],
  [
    'cert-order',
    'edit, modify, change duration',
    'withdraw show',
    'An order can’t be changed. Withdraw it, and then request it again with other values.',
  ],
  [
    'cert-order',
    'reorder, repeat, copy, clone, duplicate, renew order, reissue order',
    'again',
    'This requests an earlier order again, with its values:',
  ],
  [
    'cert-order',
    'export, history, audit, log',
    'list',
    'The list says who requested each order, and who decided. To get one as a file, open it and choose “All as a file”. Admins see more in `/hc audit cert-order`.',
  ],
  [
    'cert-order',
    'my cert, my certificate, my order, my orders',
    '/cert-order list mine',
    'This lists your orders:',
  ],
  [
    'cert-order',
    'todo, approvals ., approval ., my approval, review, inbox',
    '/cert-order list pending',
    'This lists the orders that wait for approval:',
  ],
  [
    'cert-order',
    'config, channel, domains, allow, default',
    'settings',
    'Admins can change the settings for orders:',
  ],
  [
    '',
    'expiring, expires, expire, expiry',
    '/cert-order list',
    'The service lists no certificates, so Signalman can’t say which ones expire: look in the service’s own pages. Signalman reminds once of each order, from the duration that was ordered.',
  ],
  [
    'cert-order',
    'revoke, validation, validate, dcv, dns record, download, fail, failed, mark, remind, nudge',
    'show',
    'An order shows what can be done about it here. Approvers are reminded after 24 hours, or at once if you share the order in their channel. To validate, download, or revoke a certificate, ask the service. This is its order:',
  ],
  [
    'cert-order',
    'who can approve, who has to approve, who approves, approvers, assign, delegate',
    '/hc access',
    'Any approver can decide on an order, but not on one of their own, unless an admin has allowed it. This shows who has the role:',
  ],
  ['hc', 'escalate', 'page', 'Signalman has no levels, but it can page people:'],
  ['cert-order', 'rekey', 'reissue', 'A new key needs a new request (CSR), which you paste or upload:'],
]

/** Other words for our verbs. */
const SYNONYMS: readonly Row[] = [
  [
    '',
    'history, uptime, availability, how long, since when, downtime report, sla, stats, incidents, outages, outage, timeline, report',
    'history list',
  ],
  [
    '',
    'unsilence, unsnooze, end maintenance, cancel maintenance, stop maintenance, cancel downtime, cancel mute, delete mute, end mute, stop mute, stop muting',
    'unmute',
  ],
  ['', 'downtime, maint, maintenance window, extend maintenance', 'maintenance'],
  ['', 'subscribe, follow, notify, alert, route, send, post, move, notifications', 'watch'],
  ['', 'unsubscribe, unfollow, leave, stop watching', 'unwatch'],
  ['', 'silence, snooze, suppress, quiet, extend mute, stop spamming, stop posting, stop', 'mute unwatch'],
  ['', 'show, status, state, info, details, describe, check, view, lookup', 'show list bare queue history'],
  ['', 'list, ls, find, search', 'list bare queue'],
  [
    '',
    'create, add, new, request, monitor, need a, need cert, want a, buy, get a, get cert, get certificate',
    'create bare',
  ],
  ['', 'edit, set, update, change, rename, replace', 'edit'],
  ['', 'delete, remove, rm, cancel, undo, take back', 'delete withdraw'],
  ['', 'take, claim, accept, ok, lgtm, reopen', 'take approve'],
  ['', 'close, resolve, deny, decline, no', 'close reject'],
  ['', 'comment', 'note'],
  ['', 'switch, environment', 'env'],
]

/** The verb without a name. */
const BARE = 'bare'

/** Other words for our flags. */
const OTHER_FLAGS = new Map([
  ['url', 'target'],
  ['host', 'target'],
  ['path', 'target'],
  ['interval', 'frequency'],
  ['ssl', 'verify-ssl'],
])

export function findOurFlag(word: string): string {
  const setting = word.replace(/^check[_-]/, '')
  return OTHER_FLAGS.get(setting) ?? setting
}

/** What words of a line ask for. */
export interface Meaning {
  /** The words for it. */
  readonly at: number
  readonly count: number
  /** Our verbs, best first, or one line. */
  readonly verbs: readonly string[]
  readonly note?: string | undefined
}

/** Whether a note is about the line that it leads to. Of another line, it isn't true. */
export const isAboutLine = ({ note }: Pick<Meaning, 'note'>): boolean => note?.endsWith(':') === true

/** How far into a line a verb is looked for. */
const MAX_BEFORE_VERB = 6

/** What the first words of a line ask for, in their order. `words` are in lowercase: '' for one that is a value, and a flag with its dashes. */
export function findMeanings(
  command: string,
  words: readonly string[],
  isVerb: (word: string) => boolean,
): readonly Meaning[] {
  const places = [...words.keys()].slice(0, MAX_BEFORE_VERB)
  return places.flatMap((at) => findMeaning(command, words, at, isVerb) ?? [])
}

/** What Signalman doesn't do comes first, and then our own verbs. */
function findMeaning(
  command: string,
  words: readonly string[],
  at: number,
  isVerb: (word: string) => boolean,
): Meaning | undefined {
  const word = words[at] ?? ''
  if (word === '') return undefined
  // A person is `@` in the phrases.
  const text = `${words
    .slice(at)
    .map((each) => each.replace(/^--|(?<=^@).*/g, ''))
    .join(' ')} . `
  const found = [...DONE_OTHERWISE, ...SYNONYMS].flatMap(([rowCommand, phrases, verbs, note]) => {
    const phrase = phrases.split(', ').find((each) => text.startsWith(`${each} `))
    if (phrase === undefined || (rowCommand !== '' && rowCommand !== command)) return []
    const ours = verbs.startsWith('/') ? [verbs] : verbs.split(' ').map((verb) => (verb === BARE ? '' : verb))
    const known = ours.filter((verb) => verb.startsWith('/') || isVerb(verb))
    return known.length === 0
      ? []
      : { at, count: phrase.replace(/ @.*/, '').split(' ').length, verbs: known, note }
  })
  const instead = found.find(({ note }) => note !== undefined)
  const [first] = found
  return instead ?? (isVerb(word) && !first?.verbs.includes(word) ? { at, count: 1, verbs: [word] } : first)
}
