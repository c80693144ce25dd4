import { EXAMPLE_CSR } from '../e2e/csr.ts'
import { SAMPLE_TOKEN } from './sample-data.ts'
import { asFields, type Fields } from './shown-views.ts'

/** What to type into fields that have no initial value, by field name. Other required fields get “Sample”. */
const TYPED: Readonly<Record<string, string>> = {
  csr: EXAMPLE_CSR,
  target: 'www.example.com',
  customer: '1100',
  customerId: '1100',
  port: '443',
  frequency: '60',
  token: SAMPLE_TOKEN,
  product: '101',
  duration: '1 year',
  recipients: 'cy@example.com',
}

/** The answers to a modal in which every required field has one, by field. */
export function fillForm(view: Fields): Fields {
  const blocks = Array.isArray(view.blocks) ? view.blocks.map(asFields) : []
  const values = blocks
    .filter(({ type }) => type === 'input')
    .map((block) => [String(block.block_id), fillElement(block, asFields(block.element))])
  return Object.fromEntries(values)
}

/** A field with an initial value keeps it. Of the other fields, only the required ones get an answer. */
function fillElement(block: Fields, element: Fields): Fields {
  const { type, options } = element
  const [first] = Array.isArray(options) ? options : []
  const initial = Object.entries(element).flatMap(([key, value]) =>
    key.startsWith('initial_')
      ? [[key === 'initial_value' ? 'value' : key.replace('initial', 'selected'), value]]
      : [],
  )
  if (initial.length > 0) return { type, ...Object.fromEntries(initial) }
  if (/_input$/.test(String(type)) && type !== 'file_input') return { type, value: chooseText(block) }
  const isChosen = type === 'static_select' && block.optional !== true
  return isChosen ? { type, selected_option: first } : { type, ...UNANSWERED[String(type)] }
}

/** What Slack sends for an element in which nothing was chosen (https://docs.slack.dev/reference/views, November 2026). */
const UNANSWERED: Readonly<Record<string, Fields>> = {
  static_select: { selected_option: null },
  checkboxes: { selected_options: [] },
  multi_users_select: { selected_users: [] },
  conversations_select: { selected_conversation: null },
  datepicker: { selected_date: null },
  file_input: { files: [] },
}

function chooseText({ block_id, optional }: Fields): string | null {
  return TYPED[String(block_id)] ?? (optional === true ? null : 'Sample')
}
