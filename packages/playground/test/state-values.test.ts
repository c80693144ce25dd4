import { describe, expect, it } from 'vitest'
import type { InputValue } from '../src/protocol/answers.ts'
import { ImpossibleValueError } from '../src/protocol/choice-limits.ts'
import type { Fields } from '../src/protocol/json.ts'
import type { Block } from '../src/protocol/protocol.ts'
import { type MenuDirectory, offeredConversations } from '../src/rules/values/menu-choices.ts'
import { type Lookups, stateValues } from '../src/rules/values/state-values.ts'
import { channel, person } from './directory.ts'

const option = (value: string): Fields => ({ text: { type: 'plain_text', text: value.toUpperCase() }, value })
const [a, b] = [option('a'), option('b')]
const options = [a, b]
const FILES: Fields[] = [
  { id: 'F1', name: 'a.csv' },
  { id: 'F3', name: 'b.csv' },
  // One byte more than a file_input accepts.
  { id: 'F4', name: 'c.csv', size: 10 * 1024 * 1024 + 1 },
]

const me = person('U1')
const directory: MenuDirectory = {
  me,
  channels: [
    channel('C0', { name: 'news', teamId: 'T2', members: ['U4'] }),
    channel('C1'),
    channel('C2', { members: ['U2'] }),
    channel('C3', { name: 'news' }),
    channel('D1', { kind: 'dm', members: ['U1', 'U2'] }),
    channel('D2', { kind: 'dm', members: ['U2', 'U6'] }),
  ],
}
const lookups: Lookups = {
  findOfferedOption: () => undefined,
  findFile: (id) => FILES.find((file) => file.id === id),
  directory,
}

function readState(element: Fields, value?: InputValue): Fields | undefined {
  const block: Block = { type: 'input', block_id: 'b', element: { action_id: 'id', ...element } }
  const state = stateValues([block], value === undefined ? {} : { b: { id: value } }, lookups).b?.id
  // Safe cast: stateValues returns an object for each element.
  return state as Fields | undefined
}

describe('the state of an element', () => {
  it('is the initial conversation, even if the menu no longer offers it', () => {
    for (const value of [undefined, 'C9'])
      expect(readState({ type: 'conversations_select', initial_conversation: 'C9' }, value)).toMatchObject({
        selected_conversation: 'C9',
      })
  })

  it.each<[label: string, element: Fields, value: InputValue]>([
    ['a missing option', { type: 'static_select', options }, 'c'],
    ['an option that was not offered', { type: 'multi_external_select' }, ['c']],
    ['a file of another kind', { type: 'file_input', filetypes: ['pem'] }, ['F1']],
    ['more files than it accepts', { type: 'file_input', max_files: 1 }, ['F1', 'F3']],
    ['a file that is too large', { type: 'file_input' }, ['F4']],
    [
      'more choices than it accepts',
      { type: 'multi_external_select', initial_options: options, max_selected_items: 1 },
      ['a', 'b'],
    ],
    ['a choice made twice', { type: 'checkboxes', options }, ['a', 'a']],
    ['a conversation that doesn’t exist', { type: 'conversations_select' }, 'nowhere'],
    ['a line break in a field for one line', { type: 'plain_text_input' }, 'a\nb'],
  ])('rejects %s', (_label, element, value) => {
    expect(() => readState(element, value)).toThrow(ImpossibleValueError)
  })

  it.each(['button', 'overflow'])('is undefined for a %s', (type) => {
    expect(readState({ type })).toBeUndefined()
  })
})

describe('a menu of conversations', () => {
  it.each<[include: string[] | undefined, choice: string, reason: string | undefined]>([
    [['im'], 'D1', undefined],
    [['public', 'private'], 'C2', undefined],
    [undefined, 'U2', 'nothing has this ID or name'],
    [undefined, 'C0', "Person U1 can't see this conversation"],
    [['im'], 'C1', 'its filter includes only im'],
  ])('that includes %j offers %s, unless: %s', (include, choice, reason) => {
    const choose = () =>
      readState({ type: 'conversations_select', ...(include && { filter: { include } }) }, choice)
    if (reason) expect(choose).toThrow(`"${choice}" isn't a choice of id: ${reason}`)
    else expect(choose()?.selected_conversation).toMatch(/^(?:C2|C3|D1)$/)
  })

  it('offers guests only the channels that they are in', () => {
    const guest = person('U1', { role: 'guest' })
    const offered = offeredConversations({ ...directory, me: guest }, { include: ['public'] })
    expect(offered.map(({ id }) => id)).toEqual(['C1', 'C3'])
  })
})
