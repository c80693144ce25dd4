import { clip, LIMITS, type Worded } from '@signalman/slack'

/** What people read, by its key; and what holds such texts under keys of its own. */
const READ = new Set(['text', 'raw_text', 'alt_text', 'error', 'custom_message', 'initial_comment'])
const ALL_READ = 'errors'
/** What a person is to edit, and what the app reads again. */
const KEPT = new Set(['initial_value', 'metadata'])

const OPTION = { text: LIMITS.optionText, description: LIMITS.optionText }
/** Texts that Slack has shorter than what is around them, by the type of what holds them, or by its key if it has no type. */
const MOST: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  header: { text: LIMITS.headerText },
  section: { fields: LIMITS.fieldText },
  input: { label: LIMITS.inputLabel, hint: LIMITS.inputHint },
  button: { text: LIMITS.buttonText },
  options: OPTION,
  initial_option: OPTION,
  initial_options: OPTION,
  modal: { title: LIMITS.modalTitle, submit: LIMITS.modalButton, close: LIMITS.modalButton },
  confirm: {
    title: LIMITS.confirmTitle,
    text: LIMITS.confirmText,
    confirm: LIMITS.confirmButton,
    deny: LIMITS.confirmButton,
  },
}
const ANYWHERE: Readonly<Record<string, number>> = {
  blocks: LIMITS.sectionText,
  placeholder: LIMITS.placeholder,
  alt_text: LIMITS.altText,
}

/**
 * Sentences are written with `/hc`, `/threat` and `/cert-order`; where `COMMAND_PREFIX` has renamed these, another app may have those
 * names. Called where something leaves for Slack, so that no sentence has to think of it.
 */
export function createNameCommands(prefix: string): Worded {
  if (prefix === '') return (sent) => sent
  const named = (text: string, most: number): string => {
    // Not in an address or a path, and none that is renamed already.
    const whole = text.replace(/(?<![\w/.:=-])\/(hc|threat|cert-order)(?![\w/-]|\.\w)/g, `/${prefix}$1`)
    return whole === text ? text : clip(whole, most)
  }
  function renamed(part: unknown, key: string, most: number, isRead: boolean): unknown {
    if (typeof part === 'string') return isRead || READ.has(key) ? named(part, most) : part
    if (typeof part !== 'object' || part === null || KEPT.has(key)) return part
    if (Array.isArray(part)) return part.map((item) => renamed(item, key, most, isRead))
    const limits = MOST['type' in part ? String(part.type) : key]
    return Object.fromEntries(
      Object.entries(part).map(([name, value]) => {
        const limit = limits?.[name] ?? ANYWHERE[name] ?? most
        return [name, renamed(value, name, limit, isRead || name === ALL_READ)]
      }),
    )
  }
  // What comes of a value has its shape.
  return <T>(sent: T): T => renamed(sent, '', LIMITS.messageText, typeof sent === 'string') as T
}
