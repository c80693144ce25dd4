import { describe, expect, it } from 'vitest'
import type { InputValue } from '../src/protocol/answers.ts'
import { ImpossibleValueError } from '../src/protocol/choice-limits.ts'
import type { Fields } from '../src/protocol/json.ts'
import type { Block, Channel, Person } from '../src/protocol/protocol.ts'
import { type MenuDirectory, offeredConversations } from '../src/rules/values/menu-choices.ts'
import { type Lookups, stateValues } from '../src/rules/values/state-values.ts'

const option = (value: string): Fields => ({ text: { type: 'plain_text', text: value.toUpperCase() }, value })
const [a, b] = [option('a'), option('b')]
const options = [a, b]
const offeredOption = option('offered')
const FILES: Fields[] = [
  { id: 'F1', name: 'a.csv' },
  { id: 'F3', name: 'b.csv' },
  // One byte more than a file_input accepts.
  { id: 'F4', name: 'c.csv', size: 10 * 1024 * 1024 + 1 },
]

const person = (id: string, extraFields: Partial<Person> = {}): Person => ({
  id,
  teamId: 'T1',
  name: id.toLowerCase(),
  realName: `Person ${id}`,
  email: `${id}@example.com`,
  role: 'member',
  deleted: false,
  ...extraFields,
})
const channel = (id: string, extraFields: Partial<Channel> = {}): Channel => ({
  id,
  teamId: 'T1',
  name: id.toLowerCase(),
  kind: 'channel',
  members: ['U1'],
  created: 0,
  creator: 'U1',
  updatedMs: 0,
  topic: '',
  archived: false,
  ...extraFields,
})
const me = person('U1')
const directory: MenuDirectory = {
  me,
  people: [
    me,
    person('U2'),
    person('U3', { deleted: true }),
    person('U4', { teamId: 'T2' }),
    person('U5', { teamId: 'T2', teams: ['T1'] }),
    person('U6', { role: 'bot' }),
  ],
  channels: [
    channel('C0', { name: 'news', teamId: 'T2', members: ['U4'] }),
    channel('C1'),
    channel('C2', { members: ['U2'] }),
    channel('C3', { name: 'news' }),
    channel('C4', { archived: true }),
    channel('C5', { privacy: 'private', members: ['U2'] }),
    channel('C6', { privacy: 'private' }),
    channel('C7', { privacy: 'group' }),
    channel('C8', { sharedWith: 'Partner Company' }),
    channel('D1', { kind: 'dm', members: ['U1', 'U2'] }),
    channel('D2', { kind: 'dm', members: ['U1', 'U6'] }),
    channel('D3', { kind: 'dm', members: ['U2', 'U6'] }),
    channel('D4', { kind: 'dm', members: ['U1', 'U3'] }),
  ],
}
const lookups: Lookups = {
  findOfferedOption: (actionId, value) =>
    actionId === 'id' && value === 'offered' ? offeredOption : undefined,
  findFile: (id) => FILES.find((file) => file.id === id),
  directory,
  currentConversation: 'C1',
}

function readState(element: Fields, value?: InputValue): Fields | undefined {
  const block: Block = { type: 'input', block_id: 'b', element: { action_id: 'id', ...element } }
  const state = stateValues([block], value === undefined ? {} : { b: { id: value } }, lookups).b?.id
  // Safe cast: stateValues returns an object for each element.
  return state as Fields | undefined
}

describe('the state of an element', () => {
  it.each<{ element: Fields; value?: InputValue; state: Fields }>([
    { element: { type: 'plain_text_input' }, state: { value: null } },
    { element: { type: 'plain_text_input', initial_value: 'x' }, state: { value: 'x' } },
    { element: { type: 'plain_text_input', initial_value: 'x' }, value: null, state: { value: null } },
    { element: { type: 'plain_text_input', initial_value: 'x' }, value: '', state: { value: null } },
    { element: { type: 'email_text_input' }, value: 'a@example.com', state: { value: 'a@example.com' } },
    { element: { type: 'plain_text_input', multiline: true }, value: 'a\nb', state: { value: 'a\nb' } },
    { element: { type: 'number_input' }, value: '7', state: { value: '7' } },
    {
      element: { type: 'url_text_input' },
      value: 'https://example.com',
      state: { value: 'https://example.com' },
    },
    { element: { type: 'static_select', options }, state: { selected_option: null } },
    { element: { type: 'static_select', options, initial_option: a }, state: { selected_option: a } },
    {
      element: { type: 'static_select', options, initial_option: a },
      value: 'b',
      state: { selected_option: b },
    },
    {
      element: { type: 'static_select', option_groups: [{ options }] },
      value: 'b',
      state: { selected_option: b },
    },
    { element: { type: 'external_select' }, value: 'offered', state: { selected_option: offeredOption } },
    { element: { type: 'external_select', initial_option: a }, value: 'a', state: { selected_option: a } },
    { element: { type: 'radio_buttons', options }, value: 'a', state: { selected_option: a } },
    { element: { type: 'checkboxes', options }, state: { selected_options: [] } },
    { element: { type: 'checkboxes', options, initial_options: [b] }, state: { selected_options: [b] } },
    { element: { type: 'checkboxes', options }, value: ['a', 'b'], state: { selected_options: [a, b] } },
    { element: { type: 'multi_static_select', options }, value: null, state: { selected_options: [] } },
    { element: { type: 'users_select', initial_user: 'U1' }, state: { selected_user: 'U1' } },
    { element: { type: 'multi_users_select' }, value: ['U1'], state: { selected_users: ['U1'] } },
    { element: { type: 'channels_select' }, value: 'C2', state: { selected_channel: 'C2' } },
    { element: { type: 'multi_channels_select' }, value: ['#news'], state: { selected_channels: ['C3'] } },
    { element: { type: 'conversations_select' }, value: '#news', state: { selected_conversation: 'C3' } },
    { element: { type: 'conversations_select' }, value: '', state: { selected_conversation: null } },
    {
      element: { type: 'conversations_select', default_to_current_conversation: true },
      state: { selected_conversation: 'C1' },
    },
    { element: { type: 'multi_conversations_select' }, state: { selected_conversations: [] } },
    { element: { type: 'file_input' }, state: { files: [] } },
    { element: { type: 'file_input' }, value: ['F1'], state: { files: [{ id: 'F1', name: 'a.csv' }] } },
  ])('is $state for $element.type with the value $value', ({ element, value, state }) => {
    expect(readState(element, value)).toEqual({ type: element.type, ...state })
  })

  it.each<[label: string, element: Fields, value: InputValue]>([
    ['a missing option', { type: 'static_select', options }, 'c'],
    ['an option that was not offered', { type: 'external_select' }, 'c'],
    ['a list for one value', { type: 'static_select', options }, ['a']],
    ['a missing file', { type: 'file_input' }, ['F2']],
    ['a file of another kind', { type: 'file_input', filetypes: ['pem'] }, ['F1']],
    ['more files than it accepts', { type: 'file_input', max_files: 1 }, ['F1', 'F3']],
    ['a file that is too large', { type: 'file_input' }, ['F4']],
    ['more choices than it accepts', { type: 'multi_users_select', max_selected_items: 1 }, ['U1', 'U2']],
    ['a choice made twice', { type: 'checkboxes', options }, ['a', 'a']],
    ['a person who doesn’t exist', { type: 'users_select' }, 'nobody'],
    ['a channel that doesn’t exist', { type: 'multi_channels_select' }, ['C1', 'nowhere']],
    ['a conversation that doesn’t exist', { type: 'conversations_select' }, 'nowhere'],
    ['a line break in a field for one line', { type: 'plain_text_input' }, 'a\nb'],
    ['a line break in an email address', { type: 'email_text_input' }, 'a@example.com\n'],
  ])('rejects %s', (_label, element, value) => {
    expect(() => readState(element, value)).toThrow(ImpossibleValueError)
  })

  it.each(['button', 'overflow'])('is undefined for a %s', (type) => {
    expect(readState({ type })).toBeUndefined()
  })
})

describe('a menu of people or conversations', () => {
  it.each<[type: string, choice: string, id: string]>([
    ['users_select', '@u2', 'U2'],
    ['users_select', 'Person U5', 'U5'],
    ['users_select', 'U6', 'U6'],
    ['channels_select', 'C2', 'C2'],
    ['channels_select', '#news', 'C3'],
    ['conversations_select', 'C6', 'C6'],
    ['conversations_select', 'C7', 'C7'],
    ['conversations_select', 'D2', 'D2'],
    ['conversations_select', 'U2', 'U2'],
  ])('of the type %s offers %s', (type, choice, id) => {
    expect(Object.values(readState({ type }, choice) ?? {})).toContain(id)
    expect(Object.values(readState({ type: `multi_${type}` }, [choice]) ?? {})).toContainEqual([id])
  })

  it.each<[type: string, filter: Fields, choice: string, reason: string]>([
    ['users_select', {}, 'U3', 'this person is deactivated'],
    ['users_select', {}, 'U4', "Person U1 can't see this person"],
    ['users_select', {}, 'C1', 'nothing has this ID or name'],
    ['channels_select', {}, 'C0', "Person U1 can't see this channel"],
    ['channels_select', {}, 'C4', 'this channel is archived'],
    ['channels_select', {}, 'C5', "Person U1 can't see this channel"],
    ['channels_select', {}, 'C6', 'it offers only public channels'],
    ['channels_select', {}, 'C7', 'it offers only public channels'],
    ['channels_select', {}, 'D1', 'it offers only public channels'],
    ['conversations_select', {}, 'C4', 'this channel is archived'],
    ['conversations_select', {}, 'C5', "Person U1 can't see this conversation"],
    ['conversations_select', {}, 'D3', "Person U1 can't see this conversation"],
    ['conversations_select', {}, 'D4', 'this person is deactivated'],
    [
      'conversations_select',
      { include: ['private', 'mpim'] },
      'C1',
      'its filter includes only private, mpim',
    ],
    ['conversations_select', { include: ['public'] }, 'C6', 'its filter includes only public'],
    ['conversations_select', { include: ['public'] }, 'C7', 'its filter includes only public'],
    ['conversations_select', { include: ['public'] }, 'D1', 'its filter includes only public'],
    ['conversations_select', { include: ['public'] }, 'U2', 'its filter includes only public'],
    ['conversations_select', { exclude_bot_users: true }, 'D2', 'its filter excludes bots'],
    ['conversations_select', { exclude_bot_users: true }, 'U6', 'its filter excludes bots'],
    [
      'conversations_select',
      { exclude_external_shared_channels: true },
      'C8',
      'its filter excludes channels shared with other organizations',
    ],
  ])('of the type %s with the filter %j doesn’t offer %s', (type, filter, choice, reason) => {
    const message = `"${choice}" isn't a choice of id: ${reason}`
    expect(() => readState({ type, filter }, choice)).toThrow(message)
    expect(() => readState({ type: `multi_${type}`, filter }, [choice])).toThrow(message)
  })

  it('offers guests only the channels that they are in', () => {
    const guest = person('U1', { role: 'guest' })
    const offered = offeredConversations({ ...directory, me: guest }, { include: ['public'] })
    expect(offered.map(({ id }) => id)).toEqual(['C1', 'C3', 'C8'])
  })

  it.each<[element: Fields, value: InputValue, state: Fields]>([
    [{ type: 'users_select', initial_user: 'U3' }, 'U3', { selected_user: 'U3' }],
    [
      { type: 'multi_channels_select', initial_channels: ['C4'] },
      ['C1', 'C4'],
      { selected_channels: ['C1', 'C4'] },
    ],
  ])('keeps the initial value of %j', (element, value, state) => {
    expect(readState(element, value)).toMatchObject(state)
  })
})
