import type { ServerResponse } from 'node:http'

export interface InstallPage {
  status: number
  title: string
  sentences: readonly string[]
  link?: { label: string; href: string }
}

const START_AGAIN = { label: 'Start again', href: '/slack/install' }

/** What a person sees after a failed installation. Never an error's own text, which may contain anything. */
export const PAGES = {
  denied: {
    status: 200,
    title: 'Nothing was installed',
    sentences: ['Slack was told not to install the app. Nothing has changed.'],
    link: START_AGAIN,
  },
  state: {
    status: 403,
    title: 'This link cannot be used',
    sentences: [
      'An installation has to begin and end in one tab of one browser, within ten minutes, and ends once. Nothing was installed now; what was installed before stays.',
      'If you began it in several tabs, close the others and start again in this one.',
    ],
    link: START_AGAIN,
  },
  code: {
    status: 400,
    title: 'Slack did not confirm the installation',
    sentences: ['Something is missing from the address that Slack sent you to. Nothing was installed.'],
    link: START_AGAIN,
  },
  failed: {
    status: 502,
    title: 'The installation did not work',
    sentences: [
      'The installation could not be finished with Slack, and nothing of it is kept. Try again; if it happens again, whoever runs the app finds the reason in its log.',
    ],
    link: START_AGAIN,
  },
} as const satisfies Record<string, InstallPage>

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)

/** Headers for everything under `/slack/`: the URL contains a code, which must not leak, and the page must not be framed. */
export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const

export function sendPage(response: ServerResponse, { status, title, sentences, link }: InstallPage): void {
  const paragraphs = sentences.map((sentence) => `<p>${escaped(sentence)}</p>`).join('\n')
  const anchor = link ? `<p><a href="${escaped(link.href)}">${escaped(link.label)}</a></p>` : ''
  response
    .writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...PAGE_HEADERS })
    .end(
      `<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<meta name="color-scheme" content="light dark">\n<title>${escaped(title)}</title>\n<h1>${escaped(title)}</h1>\n${paragraphs}\n${anchor}\n</html>\n`,
    )
}
