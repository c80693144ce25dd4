import { clip, LIMITS, type Worded } from '@signalman/slack'

/** The keys of texts that people read, and the containers of such texts under keys of their own. */
const READ = new Set(['text', 'raw_text', 'alt_text', 'error', 'custom_message', 'initial_comment'])
const ALL_READ = 'errors'
/** Texts that a person edits and the app reads back. */
const KEPT = new Set(['initial_value', 'metadata'])

const OPTION = { text: LIMITS.optionText, description: LIMITS.optionText }
/** Texts with a lower limit than the texts around them, by the type of their container, or by its key. */
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
 * Texts are written with `/hc`, `/threat`, and `/cert-order`. If `COMMAND_PREFIX` renames these, another app may use the
 * original names. Called when something leaves for Slack, so that no text has to consider it.
 */
export function createNameCommands(prefix: string): Worded {
  if (prefix === '') return (sent) => sent
  const named = (text: string, most: number): string => {
    // Not in an address or a path, and not if it is already renamed.
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
  // The result has the same shape as the value.
  return <T>(sent: T): T => renamed(sent, '', LIMITS.messageText, typeof sent === 'string') as T
}
