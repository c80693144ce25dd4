import { FieldErrors, TEXT_LIMITS } from '@signalman/runtime'
import { fileInput, section, selectInput, type Upload } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import { sendFiles } from '../../../bot/posts/send-files.ts'
import type { ActSteps, Messaging, Requester } from '../../../bot/routes/command-context.ts'
import { cmd } from '../../../domain/command-names.ts'
import { saveAnswers } from '../jobs/answer-addresses.ts'
import { addJob, countPlanned, type JobDeps } from '../jobs/start-job.ts'
import { OPTIONAL_COLUMNS, REQUIRED_COLUMNS } from '../rules/columns.ts'
import type { FilePlan } from '../rules/file.ts'
import type { ChangesDetails } from '../rules/job.ts'
import { ADDRESS_ANSWERS } from '../rules/server-address.ts'
import { ADDRESS_ANSWER_LABELS } from '../views/words.ts'
import { planFile } from './plan.ts'
import { readFile } from './read-file.ts'
import { sendReportIfLong } from './report.ts'
import { type CheckedFile, importPreviewView } from './views.ts'

export type ImportDeps = JobDeps

/** The form that asks for a CSV file. Submitting it shows a preview, with a button that applies the changes. */
export const importForm = form({
  id: 'health-checks.import',
  title: 'Import health checks',
  button: 'Check the file',
  verb: '/hc import',
  needs: 'operator',
  workingText: 'Reading the file and comparing it with the service…',
  showsOteLabel: true,
  content: () => ({
    blocks: [
      section(
        `Signalman checks the file and shows you a preview. Nothing changes until you confirm it. You can use a file from ${cmd('/hc export')} as it is.`,
      ),
      fileInput('file', 'CSV file', {
        types: ['csv', 'txt', 'tsv'],
        hint: `The first line names the columns. New health checks need ${REQUIRED_COLUMNS.join(', ')}. Optional: ${OPTIONAL_COLUMNS.join(', ')}. To add recipients, name and alerts are enough; to delete a health check, name and delete (yes). Up to ${TEXT_LIMITS.fileBytes / (1024 * 1024)} MB.`,
      }),
      selectInput('unknown', 'Health checks whose server address is unknown', [
        { label: 'Leave them out', value: 'leave-out', chosen: true },
        ...ADDRESS_ANSWERS.map((value) => ({ label: ADDRESS_ANSWER_LABELS[value], value, chosen: false })),
      ]),
    ],
  }),
  read(answers) {
    const [fileId] = answers.files('file')
    if (!fileId) throw new FieldErrors({ file: 'Choose a CSV file.' })
    const answer = ADDRESS_ANSWERS.find((each) => each === answers.choice('unknown'))
    return { fileId, answer }
  },
  async submit(context, { fileId, answer }, _, deps: ImportDeps) {
    const { name: fileName, bytes } = await (await context.slack()).download(fileId, TEXT_LIMITS.fileBytes)
    const api = await context.api()
    const { account } = api
    const content = await readFile(bytes)
    const planNow = () => planFile(deps, context, content)
    if (answer) {
      const asked = await context.remember('asked', async () => (await planNow()).unknownAddresses)
      await saveAnswers(deps, context, api, asked, { answer, verb: '/hc import' })
    }
    const plan = await planNow()
    const steps = plan.steps.map(({ step }) => step)
    const details: ChangesDetails = {
      verb: '/hc import',
      title: fileName,
      fileName,
      account,
      startedBy: context.userId,
      planned: countPlanned(steps),
    }
    const jobId = steps.length > 0 ? await addJob(deps, context, details, steps) : undefined
    return importPreviewView(
      jobId,
      { fileName, plan, ...(await sendReports(context, fileName, plan)) },
      context.environment,
    )
  },
})

/** Sends lists as files if they are too long for the window. */
async function sendReports(
  context: Requester & Messaging & Pick<ActSteps, 'remember' | 'begunAt'>,
  fileName: string,
  { bad, steps }: FilePlan,
): Promise<Pick<CheckedFile, 'hasReport' | 'hasPlan'>> {
  const uploadAfter = (text: string) => (report: Upload) => sendFiles(context, text, [report])
  return {
    hasReport: await sendReportIfLong(
      uploadAfter('All problems in your import file.'),
      { name: 'problems.csv', title: `Problems in ${fileName}` },
      ['line', 'column', 'problem'],
      bad.map(({ line, column, reason }) => [String(line), column, reason]),
    ),
    hasPlan: await sendReportIfLong(
      uploadAfter('Everything the import would do.'),
      { name: 'plan.csv', title: `Plan for ${fileName}` },
      ['line', 'does'],
      steps.map(({ step, summary }) => [String(step.line), summary]),
    ),
  }
}
