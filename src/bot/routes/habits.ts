import { quoted } from '../../domain/quoting.ts'

/** A line that people type out of habit from other tools, without its command, and the lines that do it here. */
interface Habit {
  readonly command: string
  readonly typed: RegExp
  readonly lines: (rest: string, other: string, last: string) => readonly string[]
  /** What to know about it. */
  readonly note?: string
}

const habit = (command: string, typed: RegExp, lines: Habit['lines'], note?: string): Habit => ({
  command,
  typed,
  lines,
  ...(note && { note }),
})

/** The words for a verb in other tools. What is typed after them stays. None of them runs: the line with our verb is a button. */
const OTHER_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  hc: {
    mute: 'silence snooze pause disable',
    unmute: 'unsilence unsnooze resume enable',
    watch: 'subscribe follow',
    page: 'escalate',
    history: 'uptime sla stats incidents',
    show: 'status get info check details',
    list: 'find search ls',
    create: 'add new',
    edit: 'update change set',
    delete: 'remove rm',
  },
  threat: { '': 'lookup search show', queue: 'list' },
  'cert-order': { '': 'new create request add', reject: 'deny', withdraw: 'cancel delete remove undo' },
}

/** Lines that do here what isn't another verb with the same arguments. They are only offered, too. */
const HABITS: readonly Habit[] = [
  habit('hc', /^(?:stop|end|leave|unsubscribe|alerts off)(?: (.+))?$/i, (rest) => [
    `unwatch ${rest}`,
    `mute ${rest || 'all'} 1h`,
  ]),
  habit('hc', /^status$/i, () => ['']),
  habit('hc', /^(?:who|what)\b/i, () => ['down']),
  habit('hc', /^(?:settings|config)$/i, () => ['access']),
  habit(
    'hc',
    /^(?:resolve|close|ack)(?: (.+))?$/i,
    (rest) => (rest ? [`show ${rest}`, `mute ${rest} 1h`] : ['down']),
    'An outage ends by itself when its health check is up again. To tell others that you’re on it, press “I’m on it” on its message. To stop alerts, mute it.',
  ),
  habit('hc', /^rename (.+?) (?:to|as) (.+)$/i, (name, other) => [
    `edit ${name} --name ${/^"|^\S+$/.test(other) ? other : quoted(other)}`,
  ]),
  habit('hc', /^rename (.+) ("[^"]+"|[^\s"]+)$/i, (name, other) => [`edit ${name} --name ${other}`]),
  habit(
    'hc',
    /^(?:recipients |alerts? )?(add|remove) (?:email )?(\S+@\S+) (?:(?:to|from) )?(.+)$/i,
    (how, address, name) => [`recipients ${address} --${how.toLowerCase()} ${name}`],
  ),
  habit(
    'hc',
    /^(?:recipients |replace |recipients replace )(\S+@\S+) (?:with |by )?(\S+@\S+)$/i,
    (from, to) => [`recipients ${from} --replace-with ${to}`],
  ),
  habit('hc', /^(?:revert|rollback)\b/i, () => ['undo']),
  habit('hc', /^(?:csv|bulk|download|upload)\b/i, () => ['export', 'import']),
  habit(
    'hc',
    /^edit ((?:(?!--).)+?) (?:set )?(name|port|frequency|target|protocol)(?: to|=| =)? ?(.+)$/i,
    (name, setting, value) => [`edit ${name} --${setting} ${value}`],
  ),
  habit('hc', /^edit ((?:(?!--|every ).)+?) (?:to )?(\d{2,5})s?$/i, (name, seconds) => [
    `edit ${name} --frequency ${seconds}`,
  ]),
  habit('hc', /^((?:create|edit) .+?) every (\d+) ([smh]\w*)$/i, (line, count, unit) => [
    `${line} every ${count}${unit}`,
  ]),
  habit('hc', /^((?:create|edit) .+?) --(?:interval|every)[ =](.+)$/i, (line, time) => [
    `${line} --frequency ${time}`,
  ]),
  habit('hc', /^((?:create|edit) .+?) --(?:url|host)[ =](.+)$/i, (line, target) => [
    `${line} --target ${target}`,
  ]),
  habit(
    'hc',
    /^watch ((?:(?!--).)+?)(?: (?:escalate|after|page))? ((?:for )?\d+ ?(?:m|min|h)\w* @\S.*)$/i,
    (name, steps) => [`watch ${name} --escalate "${steps}"`],
  ),
  habit(
    'cert-order',
    /^(?:edit|change|update)(?: (.+))?$/i,
    (rest) => [`withdraw ${rest}`],
    'An order can’t be changed. Withdraw it, and press “Request again” to correct it.',
  ),
  habit('cert-order', /^(?:repeat|reorder|copy)(?: (.+))?$/i, (rest) => [`again ${rest}`]),
  habit('cert-order', /^(?:order )?#?(\d+) status$/i, (number) => [`show ${number}`]),
  habit('cert-order', /^(?:(.+) )?status$/i, (name) => [name ? `list ${name}` : 'show']),
  habit('cert-order', /^(?:config|channel|domains?)\b/i, () => ['settings']),
  habit(
    'cert-order',
    /^(?:(?:delegate|assign|transfer|hand(?:-?over)?|approvers?|access)\b|who(?: can.*)?$)/i,
    () => ['/hc access'],
    'Every approver can decide on an order, and it can’t be handed over.',
  ),
]

interface MeantLines {
  readonly lines: readonly string[]
  readonly note: string | undefined
}

/** The lines to offer for what was typed after a command. Undefined if it isn't a habit that is known. */
export function findHabit(command: string, text: string): MeantLines | undefined {
  for (const { command: own, typed, lines, note } of HABITS) {
    const found = own === command ? typed.exec(text.trim()) : null
    if (found)
      return {
        lines: lines(found[1] ?? '', found[2] ?? '', found[3] ?? '').map((line) =>
          line.startsWith('/') ? line : `/${command} ${line}`.trim(),
        ),
        note,
      }
  }
  const [word = ''] = text.trim().split(' ', 1)
  const meant = Object.entries(OTHER_WORDS[command] ?? {}).find(([, words]) =>
    words.split(' ').includes(word.toLowerCase()),
  )
  if (!meant) return undefined
  const [verb] = meant
  const rest = text.trim().slice(word.length).trim()
  return { lines: [[`/${command}`, verb, rest].filter(Boolean).join(' ')], note: undefined }
}
