import { fieldsOf } from '../json.ts'
import { anything, fields, flag, type Kind, plain, say, type Together, type Type, text } from './rule.ts'

/** Blocks have rules of their own as a list; the validator adds them. */
const common: Record<string, Type> = {
  'type!': anything,
  'blocks!': anything,
  private_metadata: text(3000, 0),
  callback_id: text(255, 0),
  external_id: text(255, 0),
}

const inputsNeedSubmit: Together = {
  says: 'one with `input` blocks has `submit`',
  check(value, fault) {
    if (value.submit !== undefined) return
    const index = fieldsOf(value.blocks).findIndex(({ type }) => type === 'input')
    if (index >= 0) fault(`/blocks/${index}/input`, 'must define `submit` to use an `input` block in modals')
  },
}

export const VIEWS: readonly Kind[] = [
  {
    name: 'modal',
    family: 'view',
    type: 'modal',
    fields: fields({
      ...common,
      'title!': plain(24),
      submit: plain(24),
      close: plain(24),
      clear_on_close: flag,
      notify_on_close: flag,
      submit_disabled: flag,
    }),
    together: [inputsNeedSubmit],
    source: 'views/modal-views',
    example: {
      type: 'modal',
      title: say('A window'),
      submit: say('Send'),
      close: say('Cancel'),
      blocks: [{ type: 'divider' }],
      private_metadata: 'x',
      callback_id: 'c',
      external_id: 'e',
      clear_on_close: true,
      notify_on_close: true,
      submit_disabled: false,
    },
  },
  {
    name: 'home',
    family: 'view',
    type: 'home',
    fields: fields(common),
    source: 'views/home-tab-views',
    example: {
      type: 'home',
      blocks: [{ type: 'divider' }],
      private_metadata: 'x',
      callback_id: 'c',
      external_id: 'e',
    },
  },
]
