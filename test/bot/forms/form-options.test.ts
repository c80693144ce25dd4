import { AccessDenied } from '@signalman/runtime'
import type { OptionsRequest } from '@signalman/slack'
import { expect, it } from 'vitest'
import { createForms } from '../../../src/bot/forms/forms.ts'
import type { Form } from '../../../src/bot/routes/routes.ts'
import { createLog } from '../../../src/log.ts'

const origin = {
  workspaceId: 'T1',
  userId: 'U1',
  reference: 'r',
  surface: { kind: 'window', modalId: 'V1' },
} as const

const CHECKS = ['shop', 'shop-api', 'mail']

/** A form with a search field. Only its search is used. */
const searchForm = {
  id: 'watch',
  verb: '/hc watch',
  needs: 'operator',
  workingText: '',
  read: () => undefined,
  submit: () => Promise.reject(new Error('Nothing is submitted.')),
  options: async (_context, field, typed, formState) =>
    field === 'check'
      ? CHECKS.filter((name) => name.includes(typed)).map((name) => ({
          label: `${name} ${formState}`,
          value: name,
        }))
      : [],
} satisfies Form<unknown, unknown>

async function answer(
  request: Partial<OptionsRequest>,
  {
    authorize = async () => ({}),
    state = { environment: 'production', formState: 'state' } as object | null,
  } = {},
): Promise<unknown> {
  const forms = createForms({
    routes: { findForm: (id) => (id === 'watch' ? searchForm : undefined) },
    // Fake values, which the handler only passes on.
    windowStates: { read: async () => (state ?? undefined) as never },
    access: { authorize: authorize as never },
    makeContext: () => ({}) as never,
    log: createLog('silent'),
  })
  const view = { id: 'V1', callbackId: 'watch', metadata: 'm' } as OptionsRequest['view']
  const handler = forms.typedInMenu({
    kind: 'options',
    actionId: 'answer.m',
    field: 'check',
    typed: 'shop',
    view,
    ...request,
  })
  return handler.options ? handler.options(origin) : handler.ack
}
it('sends the form’s options for the field to Slack', async () => {
  expect(await answer({})).toEqual({
    options: ['shop', 'shop-api'].map((name) => ({
      text: { type: 'plain_text', text: `${name} state`, emoji: false },
      value: name,
    })),
  })
})

it.each([
  { name: 'another field', request: { field: 'other' } },
  { name: 'text that nothing matches', request: { typed: 'x' } },
  { name: 'a menu outside of a modal', request: { view: undefined } },
  { name: 'a modal that is too old', overrides: { state: null } },
  {
    name: 'a person without the role',
    overrides: {
      authorize: () => Promise.reject(new AccessDenied('no', { admins: undefined, suggestions: [] })),
    },
  },
])('sends an empty list of options for $name', async ({ request = {}, overrides = {} }) => {
  expect(await answer(request, overrides)).toEqual({ options: [] })
})
