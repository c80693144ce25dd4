import { fieldsOf } from '../json.ts'
import { anything, flag, type Kind, part, plain, type Together, type Type, text } from './rule.ts'

/** Blocks have rules of their own as a list; the validator adds them. */
const common: Record<string, Type> = {
  'blocks!': anything,
  private_metadata: text(3000, 0),
  callback_id: text(255, 0),
  external_id: text(255, 0),
}

const inputsNeedSubmit: Together = {
  says: 'a modal with `input` blocks has `submit`',
  check(value, fault) {
    if (value.submit !== undefined) return
    const index = fieldsOf(value.blocks).findIndex(({ type }) => type === 'input')
    if (index >= 0) fault(`/blocks/${index}/input`, 'must define `submit` to use an `input` block in modals')
  },
}

const titles = { 'title!': plain(24), submit: plain(24), close: plain(24) }
const flags = { clear_on_close: flag, notify_on_close: flag, submit_disabled: flag }

export const VIEWS: readonly Kind[] = [
  part(
    'modal',
    'views/modal-views',
    { ...common, ...titles, ...flags },
    { family: 'view', type: 'modal', together: [inputsNeedSubmit] },
  ),
  part('home', 'views/home-tab-views', common, { family: 'view', type: 'home' }),
]
