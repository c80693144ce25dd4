/** Verbs of other tools, beside ours with the same arguments. Of several of ours, a command has one. None of them runs: it's offered. */
const OTHER_VERBS: readonly (readonly [ours: string, others: string])[] = [
  ['mute', 'silence snooze downtime quiet pause disable'],
  ['unmute', 'unsilence unsnooze resume enable unpause'],
  ['watch', 'subscribe follow notify route send'],
  ['unwatch', 'unsubscribe unfollow stop leave end'],
  ['page', 'escalate trigger call'],
  ['history|list', 'uptime sla stats incidents outages happened'],
  ['show|list|', 'status state get info details detail describe check view lookup'],
  ['down', 'what which broken failing'],
  ['list|queue', 'ls find search'],
  ['create|', 'add new order request need'],
  ['edit', 'set update change rename replace'],
  ['delete|withdraw', 'remove rm cancel undo'],
  ['take|approve', 'assign claim accept open'],
  ['close|reject', 'resolve deny decline'],
  ['note', 'comment'],
]

/** Our verbs for a word of another tool, or for one of ours that another command has, best first. */
export function findOurVerbs(word: string): readonly string[] {
  const row = OTHER_VERBS.find(
    ([ours, others]) => ours.split('|')[0] === word || others.split(' ').includes(word),
  )
  return word === '' ? [] : (row?.[0].split('|') ?? [])
}

/** Other words for our flags. */
const FLAG_WORDS: Readonly<Record<string, string>> = {
  url: 'target',
  host: 'target',
  address: 'target',
  interval: 'frequency',
  reason: 'because',
  comment: 'because',
}

export const findOurFlag = (word: string): string => FLAG_WORDS[word] ?? word

/** What Signalman doesn't do, or does in another way: what people type for it, what to know, and the verbs or lines that lead on. */
interface Instead {
  readonly commands: string
  /** Of what was typed after the command. One that begins with `^` may begin with one of our verbs. */
  readonly typed: RegExp
  readonly note: string
  readonly lines: readonly string[]
}

const instead = (commands: string, typed: RegExp, note: string, ...lines: readonly string[]): Instead => ({
  ...{ commands, typed, note, lines },
})

const INSTEADS: readonly Instead[] = [
  instead(
    'hc',
    /\b(?:on.?call|rota|roster)\b|^schedules?$|\bwho\b.*\b(?:shift|schedule)\b/,
    'Signalman has no on-call schedule. Each watch says whom it pages.',
    'watches',
  ),
  instead(
    'hc',
    /^(?:maintenance|downtimes?|windows?|watch|mute) (?:list|ls|show|status|planned)$|\b(?:list|show|planned|upcoming|active|all)\b.*\b(?:maintenances?|downtimes?|silences?|mutes?|windows?)\b|^(?:silences|mutes|muted)$/,
    'What this channel watches, and what is muted or in maintenance, is one list.',
    'watches',
  ),
  instead(
    'hc',
    /^(?:maintenance|downtime) (?:cancel|end|stop|delete|remove|off|over|done)\b|^(?:cancel|end|stop|delete|remove|abort|finish)\b.*\b(?:maintenance|downtime|mutes?|silences?)\b/,
    'Mutes and maintenance end with the same command.',
    'unmute',
    'watches',
  ),
  instead(
    'hc',
    /^(?:pause|disable|suspend|deactivate)\b/,
    'A health check can’t be paused: the service keeps checking. You can mute its alerts in this channel, or delete it.',
    'mute',
    'delete',
  ),
  instead(
    'hc',
    /^(?:resume|enable|activate|unpause)\b/,
    'A health check can’t be paused, so it’s always on. You can end a mute of its alerts.',
    'unmute',
  ),
  instead(
    'hc',
    /^(?:run|test|ping|probe|recheck|retry|rerun)\b|\bcheck\b.* (?:now|again)$|^(?:refresh|force)\b/,
    'The service checks at each health check’s own interval, and can’t be asked to check now. To check more often, change the interval.',
    'show',
    'edit',
  ),
  instead(
    'hc',
    /\b(?:thresholds?|retries|failures?|consecutive|sensitivity|flapping|timeout)\b/,
    'The service decides when a health check is down. A watch can wait for several bad polls: --after 3.',
    'watch',
    'show',
  ),
  instead(
    'hc',
    /\b(?:contains?|keywords?|expects?|match(?:es)?|body|headers?|status.?codes?|response|text|assert\w*|latency|regex)\b/,
    'A health check has a target, a protocol, a port, an interval, and SSL verification. It can’t look for a text, a status code, or a response time.',
    'edit',
  ),
  instead(
    'hc',
    /^(?:ack\w*|resolve|close|on it|i.?m on it|take|claim|assign|own)\b/,
    'An outage ends by itself when its health check is up again. To tell others that you’re on it, press “I’m on it” on its message. To stop alerts, mute it.',
    'show',
    'mute',
    'down',
  ),
  instead(
    'hc',
    /^(?:note|comment|annotate|postmortem|declare)\b|^(?:create|open|add) (?:an? )?(?:incident|note|comment|postmortem)\b/,
    'To say something about an outage, reply in the thread of its message.',
    'show',
    'down',
  ),
  instead(
    'hc',
    /^(?:dm|notify|tell|ping|alert|message|remind|text|sms|call|warn) me\b/,
    'Signalman posts outages in channels, not in DMs. A watch can page you: --escalate "10m @you".',
    'watch',
  ),
  instead(
    'hc',
    /^(?:alerts? (?:off|stop)|stop|end|leave|unsubscribe|quiet|silence|shut up)$/,
    'To stop alerts in this channel, end its watch, or mute everything for a while.',
    'unwatch',
    '/hc mute all 1h',
  ),
  instead('hc', /^(?:status|overview|summary|dashboard)$/, 'This is the overview:', ''),
  instead(
    'hc',
    /^(?:whoami|who am i|settings|config\w*|permissions?|roles?|admins?|users?|(?:my|show|list) (?:my )?(?:roles?|permissions?|access))\b/,
    'This shows what you can do, and who can change it:',
    'access',
  ),
  instead(
    'hc',
    /^(?:make|promote|give|allow|invite|add|set|appoint|demote)\b.*(?:@|\b(?:role|admin|operator|approver)\b)/,
    'An admin grants roles.',
    'grant',
    'access',
  ),
  instead(
    'hc',
    /^(?:logs?|activity|who (?:did|changed|muted|deleted|edited|created|added))\b/,
    'The audit log shows who did what.',
    'audit',
  ),
  instead(
    'hc',
    /^(?:csv|bulk|download|upload|backup)\b/,
    'Health checks go out and in as a CSV file.',
    'export',
    'import',
  ),
  instead('hc', /^(?:revert|rollback|restore)\b/, 'The file of what was before is the undo.', 'undo'),
  instead(
    'hc',
    /\b(?:api.?keys?|tokens?|login|log in|credentials?)\b/,
    'The service’s token is stored once, by an admin.',
    'connect',
    'tokens',
  ),
  instead(
    'threat',
    /\b(?:block|ban|firewall|blacklist|blocklist|denylist|quarantine|sinkhole|takedown|take down)\b/,
    'Signalman blocks nothing, and asks nobody for a takedown. It exports the indicators for the tools that do: `/threat export ID`.',
    'export',
    'queue',
  ),
  instead(
    'threat',
    /\b(?:escalate|severity|priority|sev.?\d|p\d|raise)\b/,
    'A case can’t be escalated, and its severity is the service’s. Take it, and write a note.',
    'take',
    'note',
  ),
  instead(
    'threat',
    /^(?:assign|give|hand|transfer|delegate)\b.*@/,
    'Nobody is assigned a case: whoever works on it takes it.',
    'take',
  ),
  instead(
    'threat',
    /^(?:mine|my (?:cases|events)|cases?|events?|open|pending)\b(?!.*[0-9a-f]{8})/,
    'These are the cases:',
    'queue',
  ),
  instead(
    'cert-order',
    /\bexpir\w*|\b(?:valid(?:ity)? until|renewals?|due)\b/,
    'The service lists no certificates, so Signalman can’t say which ones expire. It reminds once, from what was ordered.',
    'list',
  ),
  instead(
    'cert-order',
    /\brevo(?:ke|cation)\w*/,
    'A certificate can’t be revoked here: the service takes only orders. An order that isn’t sent yet can be withdrawn.',
    'withdraw',
    'list',
  ),
  instead(
    'cert-order',
    /\b(?:download|install|fetch|pem|crt|pfx|private key|chain|export)\b/,
    'Signalman can’t download certificates. An order shows what the service answered.',
    'show',
    'list',
  ),
  instead(
    'cert-order',
    /\b(?:connect|api.?keys?|tokens?|credentials?|login)\b/,
    'An admin stores the service’s token once, for all commands.',
    '/hc connect',
  ),
  instead(
    'cert-order',
    /^(?:todo|approvals?|inbox|queue|open)$/,
    'These orders wait for a decision:',
    '/cert-order list pending',
  ),
  instead('cert-order', /^my\b(?!.*\d)/, 'These are your orders:', '/cert-order list mine'),
  instead(
    'cert-order',
    /^(?:edit|change|update|modify|fix|correct)\b/,
    'An order can’t be changed. Withdraw it, and press “Request again” to correct it.',
    'withdraw',
  ),
  instead(
    'cert-order',
    /^(?:repeat|reorder|copy|duplicate|clone)\b/,
    'This fills in the form from an earlier order:',
    'again',
  ),
  instead(
    'cert-order',
    /^(?:delegate|assign|transfer|hand(?:-?over)?|approvers?|access|who(?: can.*)?$)\b/,
    'Every approver can decide on an order, and it can’t be handed over.',
    '/hc access',
  ),
  instead(
    'cert-order',
    /^(?:config\w*|channel|domains?|allow)\b/,
    'An admin sets the channel and the allowed domains.',
    'settings',
  ),
]

/** In characters. A longer line is hardly a command, and looking for what it means would take long. */
export const MAX_LENGTH = 400

/** What to know about a line that asks for something else than Signalman does, and the verbs or lines that lead on. */
export function findInstead(command: string, typed: string, beginsWithVerb: boolean): Instead | undefined {
  if (typed.length > MAX_LENGTH) return undefined
  // An address may have any words in it, or the ID of an event.
  const text = typed
    .toLowerCase()
    .split(' ')
    .flatMap((word) => (/[./:]/.test(word) ? (/[0-9a-f]{8}[0-9a-f-]+/.exec(word)?.[0] ?? []) : word))
    .join(' ')
  return INSTEADS.find(
    (each) =>
      each.commands === command &&
      each.typed.test(text) &&
      (!beginsWithVerb || each.typed.source.startsWith('^')),
  )
}
