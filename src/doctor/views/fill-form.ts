import { SAMPLE_ADDRESS, SAMPLE_CSR } from './sample-data.ts'
import { asFields } from './sample-slack.ts'

type Fields = Readonly<Record<string, unknown>>

/** Answers by field name; any other field keeps its initial value, or gets a word. */
const TYPED: Readonly<Record<string, string>> = {
  csr: SAMPLE_CSR,
  target: 'www.example.com',
  customer: '1100',
  port: '443',
  frequency: '60',
  token: 'sample-token-of-nobody',
  product: '101',
  duration: '1 year',
  recipients: SAMPLE_ADDRESS,
  addresses: SAMPLE_ADDRESS,
}

/** The state of a window in which every required field has an answer. */
export function filled(view: Fields): Fields {
  const blocks = Array.isArray(view.blocks) ? view.blocks.map(asFields) : []
  const values = blocks
    .filter(({ type }) => type === 'input')
    .map((block) => {
      const element = asFields(block.element)
      return [String(block.block_id), { [String(element.action_id)]: stateOf(block, element) }]
    })
  return { values: Object.fromEntries(values) }
}

function stateOf(block: Fields, element: Fields): Fields {
  const { type, initial_value, initial_option, initial_options, options } = element
  const [first] = Array.isArray(options) ? options : []
  switch (type) {
    case 'plain_text_input':
    case 'number_input':
    case 'email_text_input':
      return { type, value: initial_value ?? typedFor(block) }
    case 'static_select':
    case 'radio_buttons':
      return { type, selected_option: initial_option ?? (block.optional === true ? null : first) }
    case 'external_select':
      return { type, selected_option: initial_option ?? null }
    case 'checkboxes':
    case 'multi_static_select':
      return { type, selected_options: initial_options ?? [] }
    case 'multi_users_select':
      return { type, selected_users: element.initial_users ?? [] }
    case 'multi_conversations_select':
      return { type, selected_conversations: element.initial_conversations ?? [] }
    case 'conversations_select':
      return { type, selected_conversation: element.initial_conversation ?? null }
    case 'datepicker':
      return { type, selected_date: element.initial_date ?? null }
    default:
      return { type, files: [] }
  }
}

function typedFor({ block_id, optional }: Fields): string | null {
  const [name = ''] = String(block_id).split('.')
  const typed = TYPED[name]
  return typed ?? (optional === true ? null : 'Sample')
}
