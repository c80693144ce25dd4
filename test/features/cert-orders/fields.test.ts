import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { FieldErrors } from '../../../packages/runtime/src/errors.ts'
import {
  type Answers,
  readAnswers,
  type StateValues,
} from '../../../packages/slack/src/receive/view-state.ts'
import { formBlocks, readUncheckedDraft } from '../../../src/features/cert-orders/forms/order.ts'
import { parseOrderForm } from '../../../src/features/cert-orders/forms/parse-order-form.ts'
import { TEXT_FIELD_NAMES } from '../../../src/features/cert-orders/rules/request-fields.ts'
import { listOrderEntries } from '../../../src/features/cert-orders/views/entries.ts'
import { formatOrder } from '../../../src/service/orders.ts'
import { makeCsr } from './csr/make-csr.ts'

const csr = makeCsr().pem

/** A form as Slack submits it. `undefined` stands for an empty field. A field that isn't listed isn't in the form. */
function answers(action: string, typed: Record<string, string | undefined>): Answers {
  const fields = { csr, duration: '1 year', ...typed }
  const values: Record<string, StateValues[string]> = { action: { selected_option: { value: action } } }
  for (const [name, value] of Object.entries(fields)) values[name] = { value: value ?? null }
  return readAnswers(values)
}

function readErrors(action: string, typed: Record<string, string | undefined>): FieldErrors['fields'] {
  try {
    parseOrderForm(answers(action, typed))
    return {}
  } catch (error) {
    if (error instanceof FieldErrors) return error.fields
    throw error
  }
}

const PRODUCT = { product: '1' }

describe('the order form', () => {
  it.each(['create', 'renew'] as const)('sends and shows every field that is filled in: %s', (action) => {
    const names = TEXT_FIELD_NAMES.filter(
      (name) => name !== (action === 'create' ? 'certificate' : 'product'),
    )
    const typed = Object.fromEntries(names.map((name, index) => [name, `${4711 + index}`]))
    const { order, csr: parsed } = parseOrderForm(answers(action, typed))
    const request = { ...order, csr: parsed?.pem ?? '' }
    const sent = formatOrder(request)
    if (!parsed) throw new Error('No CSR was read.')
    const shown = JSON.stringify(listOrderEntries({ content: { request, csr: parsed, names: {} } }))
    for (const value of Object.values(typed)) {
      expect(sent).toContain(value)
      expect(shown).toContain(value)
    }
  })

  it('accepts every customer ID that the service accepts and no other', () => {
    const maxId = '9007199254740991'
    const form = (customer: string) => answers('create', { product: '1', customer })
    for (const customer of ['2147483648', maxId])
      expect(parseOrderForm(form(customer)).order.customerId).toBe(Number(customer))
    for (const customer of ['0', '12a', '9007199254740992'])
      expect(readErrors('create', { product: '1', customer }).customer).toBe(
        'Enter a whole number from 1, or leave it empty.',
      )
    const [input] = formBlocks(
      { action: 'create', hasMore: true },
      { environment: 'production', account: 'a', choices: { products: undefined, organizations: undefined } },
    ).filter((block) => block.block_id === 'customer')
    expect(input).toMatchObject({ element: { max_length: maxId.length } })
  })

  it('shows all errors together, each at its field', () => {
    const typed = {
      csr: 'not a request',
      duration: undefined,
      product: undefined,
      customer: '12a',
      organization: 'two words',
      'tech-contacts': '13',
      'admin-contacts': undefined,
    }
    const errors = readErrors('create', typed)
    expect(Object.keys(errors).sort()).toEqual([
      'admin-contacts',
      'csr',
      'customer',
      'duration',
      'organization',
      'product',
    ])
    expect(errors.product).toBe('Enter a product ID.')
  })

  it.each<[problem: string, action: string, typed: Record<string, string | undefined>, error: object]>([
    ['an unknown action', 'revoke', PRODUCT, { action: 'Choose one of create, renew, reissue.' }],
    ['fields that haven’t loaded yet', 'renew', PRODUCT, { action: 'haven’t loaded yet' }],
    [
      'a missing certificate',
      'renew',
      { certificate: undefined },
      { certificate: 'To renew a certificate, enter its ID' },
    ],
    ['an ID that is too long', 'create', { product: 'x'.repeat(256) }, { product: 'up to 255' }],
    [
      'an admin contact without a tech contact',
      'create',
      { ...PRODUCT, 'admin-contacts': '5' },
      { 'tech-contacts': 'Enter the tech contact too' },
    ],
    [
      'a contact with an accent',
      'create',
      { ...PRODUCT, 'admin-contacts': 'é', 'tech-contacts': '5' },
      { 'admin-contacts': 'contact IDs with commas' },
    ],
  ])('rejects %s', (_, action, typed, error) => {
    const expected = Object.entries(error).map(([field, text]) => [field, expect.stringContaining(text)])
    expect(readErrors(action, typed)).toEqual(Object.fromEntries(expected))
  })
})

describe('a private key in the form', () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey
  const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  const FORMS = [
    pem,
    pem.slice(pem.indexOf('\n') + 1),
    `PO 42 ${pem.replace(/-----.*?-----|\n/g, '')}`,
    Buffer.from(pem).toString('base64'),
    JSON.stringify({ key: pem }),
  ]
  const FIELDS = ['csr', ...TEXT_FIELD_NAMES.filter((name) => name !== 'certificate')]

  it.each(FIELDS)('is rejected in the field %s, with the advice to treat it as leaked', (field) => {
    for (const text of FORMS)
      expect(readErrors('create', { product: '101', [field]: text })[field]).toContain('treat it as leaked')
  })

  it.each([...FIELDS, 'certificate'])(
    'isn’t shown again in the field %s when another field changes',
    (field) => {
      for (const text of FORMS) {
        const typed = readUncheckedDraft(answers('renew', { certificate: '900', [field]: text }))
        expect(
          JSON.stringify(formBlocks(typed, { environment: 'production', account: 'a', choices: {} })),
        ).not.toContain(text.slice(10, 60))
        expect(Object.values(typed).join(' ')).not.toContain(text.slice(10, 60))
      }
    },
  )
})
