import type { ServerResponse } from 'node:http'

export interface InstallPage {
  status: number
  title: string
  sentences: readonly string[]
  link?: { label: string; href: string }
}

const START_AGAIN = { label: 'Start again', href: '/slack/install' }

/** The pages after a failed installation. They never quote an error, because its text may contain anything. */
export const PAGES = {
  denied: {
    status: 200,
    title: 'Nothing was installed',
    sentences: ['The installation was cancelled in Slack. Nothing has changed.'],
    link: START_AGAIN,
  },
  state: {
    status: 403,
    title: 'This link can’t be used',
    sentences: [
      'Start and finish the installation in the same browser within ten minutes. Each link works only once. Nothing was installed now. Earlier installations still work.',
    ],
    link: START_AGAIN,
  },
  code: {
    status: 400,
    title: 'Slack didn’t confirm the installation',
    sentences: ['The address that Slack sent you to is incomplete. Nothing was installed.'],
    link: START_AGAIN,
  },
  organization: {
    status: 403,
    title: 'Nothing was installed',
    sentences: [
      'You chose the whole organization, but Signalman is installed in each workspace on its own. Start again, and choose a workspace.',
    ],
    link: START_AGAIN,
  },
  rotation: {
    status: 502,
    title: 'The Slack app isn’t set up correctly',
    sentences: [
      'Token rotation is on in the settings of the Slack app, so its tokens expire after 12 hours. Nothing was installed.',
      'The operator creates the Slack app again without token rotation, because Slack can’t turn it off.',
    ],
  },
  failed: {
    status: 502,
    title: 'The installation failed',
    sentences: [
      'The app couldn’t finish the installation with Slack, and stored nothing. Try again. If it fails again, the person who runs the app can find the reason in its log.',
    ],
    link: START_AGAIN,
  },
} as const satisfies Record<string, InstallPage>

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)

/** Headers for everything under `/slack/`: the URL contains a code, which must not leak, and the page must not be framed. */
export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const

export function sendPage(response: ServerResponse, { status, title, sentences, link }: InstallPage): void {
  const paragraphs = sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('\n')
  const anchor = link ? `<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.label)}</a></p>` : ''
  response
    .writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...PAGE_HEADERS })
    .end(
      `<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<meta name="color-scheme" content="light dark">\n<title>${escapeHtml(title)}</title>\n<h1>${escapeHtml(title)}</h1>\n${paragraphs}\n${anchor}\n</html>\n`,
    )
}
