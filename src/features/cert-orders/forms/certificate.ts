import { FieldErrors, TEXT_LIMITS, UserError } from '@signalman/runtime'
import { type Answers, fileInput, section, textInput } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import type { Messaging } from '../../../bot/routes/command-context.ts'
import type { Environment } from '../../../domain/environment.ts'
import type { CertificateService } from '../certificate-service.ts'
import { type CertificateFacts, readCertificate } from '../rules/certificate/read-certificate.ts'
import { MAX_ID_LENGTH } from '../rules/request-fields.ts'
import { recordedView } from '../views/certificates.ts'
import { findPrivateKeys } from './read-order.ts'

interface CertificateFormState {
  environment: Environment
}

/** Records an issued certificate. Its key finds the order, so nobody types a number. */
export const certificateForm = form({
  id: 'cert-orders.certificate',
  title: 'Record certificate',
  button: 'Record',
  showsOteLabel: true,
  verb: '/cert-order certificate',
  needs: 'viewer',
  changesSomething: true,
  workingText: 'Recording the certificate… The result will appear here.',
  content: (environment) => {
    const formState: CertificateFormState = { environment }
    return {
      formState,
      blocks: [
        section(
          'Record a certificate that was issued, so that its owner is reminded before it ends. Signalman finds the order by the certificate’s key.',
        ),
        textInput('certificate', 'Certificate', {
          multiline: true,
          optional: true,
          placeholder: '-----BEGIN CERTIFICATE-----',
          hint: 'Paste the PEM text of one certificate, or upload the file below. Never send the private key.',
        }),
        fileInput('certificate-file', 'Certificate as a file', {
          optional: true,
          types: ['crt', 'cer', 'pem', 'der', 'p7b', 'p7c', 'txt'],
          hint: 'PEM, DER, or PKCS #7, with or without its chain. At most 256 KB.',
        }),
        textInput('service-id', 'Certificate ID at the service', {
          optional: true,
          max: MAX_ID_LENGTH,
          hint: 'Needed to renew it. You can also enter it then.',
        }),
      ],
    }
  },
  read: readAnswers,
  async submit(
    context,
    { certificate, fileId, serviceId },
    { environment }: CertificateFormState,
    { certificateService }: { certificateService: CertificateService },
  ) {
    const facts =
      certificate ?? (await context.remember('certificate', () => downloadCertificate(context, fileId ?? '')))
    return recordedView(await certificateService.record(context, environment, facts, serviceId), context.now)
  },
})

function readAnswers(answers: Answers) {
  const errors = findPrivateKeys(answers, ['certificate', 'service-id'])
  const pasted = answers.text('certificate')
  const [fileId] = answers.files('certificate-file')
  const serviceId = answers.text('service-id')
  if (serviceId && !errors['service-id'] && !/^[\x21-\x7e]+$/.test(serviceId))
    errors['service-id'] = 'Enter one ID without spaces.'
  if (pasted !== undefined && fileId !== undefined && !errors.certificate)
    errors.certificate = 'You pasted a certificate and uploaded one too. Use only one of them.'
  if (fileId !== undefined && pasted === undefined) {
    if (Object.keys(errors).length > 0) throw new FieldErrors(errors)
    return { certificate: undefined, fileId, serviceId }
  }
  const result = readCertificate(Buffer.from(pasted ?? ''))
  if ('problem' in result) errors.certificate ??= result.problem
  if (Object.keys(errors).length > 0 || 'problem' in result) throw new FieldErrors(errors)
  return { certificate: result.certificate, fileId: undefined, serviceId }
}

/** Throws UserError if the file can't be used. The form then reopens with everything else as typed. */
async function downloadCertificate(context: Messaging, fileId: string): Promise<CertificateFacts> {
  const slack = await context.slack()
  const result = readCertificate((await slack.download(fileId, TEXT_LIMITS.certificateBytes)).bytes)
  if ('certificate' in result) return result.certificate
  throw new UserError(`${result.problem} If the file shouldn’t be in Slack, delete it there too.`)
}
