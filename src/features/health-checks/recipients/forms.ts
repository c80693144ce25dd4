import { textInput } from '../../../blocks/inputs.ts'
import { context, section } from '../../../blocks/layout.ts'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import { readRecipients } from '../../../domain/recipients.ts'
import { FieldErrors } from '../../../errors.ts'
import { previewBulk } from '../bulk/apply-bulk.ts'
import type { BulkRequest } from '../bulk/parse.ts'

const FORM = 'health-checks.replace-recipient'

/** Asks who is mailed in place of an address; sending it shows what that would change. */
export const replaceModal = (request: BulkRequest, isOte: boolean): Modal => ({
  title: 'Replace a recipient',
  form: { id: FORM, submit: 'Show what it does' },
  about: request,
  blocks: [
    isOte ? [context('OTE test environment')] : [],
    section(
      `Who is mailed in place of ${request.onlyWhere ?? ''}? Nothing is changed before you have seen what.`,
    ),
    textInput('addresses', 'E-mail addresses', { multiline: true }),
  ],
})

/** The form of `replaceModal`. */
export const replaceForm: Form<readonly string[], BulkRequest> = {
  id: FORM,
  verb: '/hc recipients',
  needs: 'operator',
  working: 'Looking what mails this address…',
  read(answers) {
    const { addresses, bad } = readRecipients(answers.text('addresses') ?? '')
    const [first] = bad
    if (first) throw new FieldErrors({ addresses: `“${first.typed.slice(0, 60)}” ${first.reason}.` })
    if (addresses.length === 0) throw new FieldErrors({ addresses: 'Give at least one address.' })
    return addresses
  },
  submit: (context, add, request) => previewBulk(context, { ...request, add }),
}
