import type { Verb } from '../../src/bot/routes/routes.ts'
import type { Fields, ShownView } from './shown-views.ts'

/** The texts and controls of a view. */
interface Screen {
  readonly kind: ShownView['kind']
  readonly isPosted: boolean
  /** The top-level text of a message, without dates. */
  readonly text: string
  /** The texts of the blocks, without code, dates, and button labels. */
  readonly texts: readonly string[]
  readonly labels: readonly string[]
  /** What its buttons run. */
  readonly lines: readonly string[]
  readonly controls: number
  /** The controls of each row, in order. */
  readonly rows: readonly (readonly { readonly label: string; readonly style: unknown }[])[]
  /** Whether the view quotes the audit log literally, as Details does. */
  readonly isLog: boolean
  /** Whether the command changes something, or opens a form that does. */
  readonly isAct: boolean
}

const isFields = (part: unknown): part is Fields => typeof part === 'object' && part !== null
const DATE_TOKEN = /<!date\^[^>]*>/g
const withoutDates = (text: string): string => text.replaceAll(DATE_TOKEN, '')

const CONTROLS: readonly unknown[] = ['button', 'overflow', 'static_select']

function findControls(part: unknown): Fields[] {
  if (Array.isArray(part)) return part.flatMap(findControls)
  if (!isFields(part)) return []
  return CONTROLS.includes(part.type) ? [part] : Object.values(part).flatMap(findControls)
}

function readLabels(control: Fields): string[] {
  const options = Array.isArray(control.options) ? control.options : []
  return [control, ...options].flatMap((part) => {
    const text = isFields(part) ? part.text : undefined
    return isFields(text) ? [String(text.text)] : []
  })
}

function collectTexts(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(collectTexts)
  if (!isFields(part)) return []
  if ([...CONTROLS, 'input', 'rich_text_preformatted', 'date', 'user'].includes(part.type)) return []
  if (isFields(part.style) && part.style.code === true) return []
  // A paragraph counts as one text, including its bold words.
  if (part.type === 'rich_text_section' && Array.isArray(part.elements))
    return [part.elements.flatMap(collectTexts).join('')]
  const own = typeof part.text === 'string' ? [withoutDates(part.text)] : []
  return [...own, ...Object.values(part).flatMap((inner) => (isFields(inner) ? collectTexts(inner) : []))]
}

function readScreen(view: ShownView, isAct: boolean): Screen {
  const { cause, kind, payload, postedTo } = view
  const blocks = Array.isArray(payload.blocks) ? (payload.blocks as Fields[]) : []
  const controls = findControls(blocks)
  return {
    kind,
    isPosted: postedTo?.startsWith('C') === true,
    text: withoutDates(String(payload.text ?? '')),
    texts: collectTexts(blocks),
    labels: controls.flatMap(readLabels),
    lines: controls.flatMap(({ value }) => (typeof value === 'string' ? [value] : [])),
    controls: controls.length,
    rows: blocks.flatMap(({ type, elements }) =>
      type === 'actions' && Array.isArray(elements)
        ? [elements.map((control: Fields) => ({ label: readLabels(control)[0] ?? '', style: control.style }))]
        : [],
    ),
    isLog: /“Details”.*\/hc audit/.test(cause),
    isAct,
  }
}

const splitWords = (text: string): string[] =>
  (text.replaceAll(/&(?:amp|lt|gt);|\u2060/g, '').match(/[\p{L}\p{N}]{3,}/gu) ?? []).map((word) =>
    word.toLowerCase(),
  )
/** A line that matches this is a sentence or has a number, so it's more than a heading. */
const ANSWER_SIGN =
  /[.?!…:·\d]|\b(?:is|are|was|were|has|have|may|can|cannot|do|does|no|not|nothing|nobody|there|started|taken|waits?|want|ends?|opens?)\b/i
const OPENS_MORE = /next|older|all\b|file|details|list|open|more|show|every|watches/i
const NOUNS =
  'checks|alerts|rows|orders|events|names|people|watches|mutes|days|hours|minutes|columns|outages|cases|approvals|addresses|files|messages|channels|recipients'

/** The labels that may be green. Nothing that undoes, takes away, or takes over is among them. */
const NEXT_STEPS =
  /^(?:I’m on it(?: \(\d+\))?|Review and approve|(?:Change|Create|Add|Import|Replace) [\d,]+|Take|Store a token|Roles)$/
/** Wherever one of these is offered as a button, it's what the message asks for. */
const ASKED_FOR = /^(?:I’m on it(?: \(\d+\))?|Take)$/

/** Style rules that a program can check. Each returns the text that breaks the rule, or undefined. */
export const SCREEN_RULES: Readonly<Record<string, (screen: Screen) => string | undefined>> = {
  'the first line is an answer': ({ kind, text }) => {
    const first = text.split('\n', 1)[0] ?? ''
    return kind === 'message' && !ANSWER_SIGN.test(first) ? first : undefined
  },
  'the text says everything that the blocks say': ({ kind, text, texts }) => {
    if (kind === 'view' || text.endsWith('…')) return undefined
    const textWords = new Set(splitWords(text))
    const blockWords = splitWords(texts.join(' '))
    const missing = blockWords.filter((word) => !textWords.has(word))
    return missing.length > blockWords.length / 5 ? missing.slice(0, 8).join(' ') : undefined
  },
  'five controls at most': ({ kind, controls }) =>
    kind === 'message' && controls > 5 ? String(controls) : undefined,
  'omitted items can be opened': ({ texts, labels }) => {
    const [more] = texts.join('\n').match(/\b(?:and )?\d[\d,]* more\b[^\n]{0,40}/) ?? []
    return more && !labels.some((label) => OPENS_MORE.test(label)) ? more : undefined
  },
  // Finds machine-readable dates and UTC. Examples of dates to type have neither a `T` nor a time zone, so they are allowed.
  'dates use the reader’s time zone': ({ text, texts, isLog }) =>
    isLog ? undefined : [text, ...texts].join('\n').match(/\d{4}-\d\d-\d\dT\d\d:\d\d|\bUTC\b/)?.[0],
  'numbers agree with words': ({ text, texts }) =>
    [text, ...texts].join('\n').match(new RegExp(`(?<![\\d,.])\\b1 (?:[a-z-]+ )?(?:${NOUNS})\\b`))?.[0],
  'nobody is shown as an ID, and posts mention only the people they notify': ({ text, texts, isPosted }) => {
    const allText = [text, ...texts].join('\n')
    // A page notifies the people whom it mentions, and news about an outage whoever is on it, or was.
    const notifies =
      /[Nn]obody was on (?:it|them)\b|took over from <@|<@[UW][A-Z0-9]+> (?:was|were) on (?:it|them)\b/.test(
        allText,
      )
    const raw = isPosted && !notifies ? /(?:<|&lt;)@[UW][A-Z0-9]+/ : /&lt;@[UW][A-Z0-9]+/
    return allText.match(raw)?.[0] ?? texts.join('\n').match(/(?<=[“(\s])[UW]0[A-Z0-9]{6,}/)?.[0]
  },
  // A window’s own button stands below all others.
  'destructive buttons never come first in a message': ({ kind, rows }) =>
    kind === 'message'
      ? rows.find((row) => row.length > 1 && row[0]?.style === 'danger')?.[0]?.label
      : undefined,
  'a message has at most one primary button, which asks for its next step': ({ rows }) => {
    const primary = rows.flat().filter(({ style }) => style === 'primary')
    const wrong = primary.length > 1 ? primary : primary.filter(({ label }) => !NEXT_STEPS.test(label))
    return wrong.map(({ label }) => label).join(', ') || undefined
  },
  'the next step that a message asks for is its primary button': ({ rows }) => {
    const wanted = rows.flat().filter(({ label }) => ASKED_FOR.test(label))
    return wanted.find(({ style }) => style !== 'primary')?.label
  },
  'no two controls have the same label': ({ kind, labels }) =>
    kind === 'message' ? labels.find((label, index) => labels.indexOf(label) !== index) : undefined,
  'no two buttons run the same line': ({ kind, lines }) =>
    kind === 'message' ? lines.find((line, index) => lines.indexOf(line) !== index) : undefined,
  'only internal errors show a reference': ({ text, texts }) => {
    const allText = [text, ...texts].join('\n')
    return /Reference: \w/.test(allText)
      ? allText.match(/Did you mean|needs the \w+ role|isn’t one of these/)?.[0]
      : undefined
  },
  'only acts say “Nothing was changed”': ({ isAct, texts }) =>
    isAct ? undefined : texts.join('\n').match(/[^\n]{0,60}Nothing was changed\./)?.[0],
}

/** Returns the command that caused a view, unless it's a post or a late message. */
function findCommand(
  { cause, postedTo }: ShownView,
  verbs: readonly Verb[],
): { name: string; isAct: boolean } {
  if (postedTo !== undefined) return { name: 'posts', isAct: true }
  const [, command = '', word = ''] = /\/([a-z-]+)(?: ([\w-]+))?[^“”]*$/.exec(cause) ?? []
  const commandVerbs = verbs.filter((verb) => verb.command === command)
  const verb = commandVerbs.find(({ verb }) => verb === word) ?? commandVerbs.find(({ verb }) => verb === '')
  return verb ? { name: `/${command}`, isAct: verb.mayChange } : { name: cause, isAct: true }
}

/** Returns every broken rule as `rule | command`, with the first view and text that breaks it. */
export function findScreenFaults(
  shown: readonly ShownView[],
  verbs: readonly Verb[],
): ReadonlyMap<string, string> {
  const faults = new Map<string, string>()
  for (const view of shown) {
    const { name, isAct } = findCommand(view, verbs)
    const screen = readScreen(view, isAct)
    for (const [rule, findProblem] of Object.entries(SCREEN_RULES)) {
      const problem = findProblem(screen)
      const key = `${rule} | ${name}`
      if (problem !== undefined && !faults.has(key)) faults.set(key, `${view.cause}: ${problem}`)
    }
  }
  return faults
}
