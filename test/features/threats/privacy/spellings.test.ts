import { describe, expect, it } from 'vitest'
import { KEPT_BACK, redactEvent } from '../../../../src/features/threats/privacy/redact-event.ts'
import { threatEventOf } from '../../../service/reading.ts'
import { eventOf } from '../events.ts'

/** What the record says → how pages, comments and addresses write the same person. */
const PEOPLE: readonly { record: string; written: readonly string[] }[] = [
  {
    record: 'Jane Marie Roe',
    written: [
      'Jane Roe',
      'Jane M. Roe',
      'J. M. Roe',
      'J.M. Roe',
      'J. Roe',
      'Roe, Jane',
      'Roe Jane Marie',
      'JANE ROE',
      'jane.roe',
      'jane_roe',
      'janeroe',
      'roejane',
      'Marie Roe',
      'M. Roe',
      'Jane Marie',
      'Jane-Marie Roe',
    ],
  },
  {
    record: 'Jane Rosenfeld',
    written: [
      'Jane Q. Rosenfeld',
      'Jane Quincy Rosenfeld',
      'Rosenfeld, Jane Q.',
      'J. Q. Rosenfeld',
      'j.rosenfeld',
      'JRosenfeld',
      'Jane A. B. Rosenfeld',
      'Rosenfeld J.',
    ],
  },
  {
    record: 'José Ángel García López',
    written: [
      'José García',
      'Jose Garcia',
      'José Ángel García',
      'J. García',
      'J. A. García López',
      'García López, José',
      'José López',
      'JOSÉ GARCÍA',
      'jose.garcia',
      'josegarcia',
      'Ángel García',
      'José Á. García López',
    ],
  },
  {
    record: 'Jürgen Müller-Lüdenscheidt',
    written: [
      'Jürgen Müller',
      'Juergen Mueller',
      'Jurgen Muller',
      'J. Müller',
      'Müller, Jürgen',
      'Jürgen Müller-Lüdenscheidt',
      'Jürgen Lüdenscheidt',
      'J. Müller-Lüdenscheidt',
      'juergen.mueller',
      'Jürgen K. Müller',
    ],
  },
  { record: 'Roe, Jane', written: ['Jane Roe', 'Jane A. Roe', 'ROE Jane', 'J. Roe', 'jane-roe'] },
  {
    record: 'Anna van der Berg',
    written: [
      'Anna Berg',
      'A. van der Berg',
      'Berg, Anna van der',
      'Anna v. d. Berg',
      'Anna Vandenberg Berg',
      'ANNA VAN DER BERG',
      'anna.vanderberg',
    ],
  },
  {
    record: 'Carlos de la Cruz',
    written: ['Carlos Cruz', 'C. de la Cruz', 'Cruz, Carlos', 'Carlos M. de la Cruz', 'carloscruz'],
  },
  {
    record: 'Борислав Петрович Квитко',
    written: [
      'Борислав Квитко',
      'Квитко Борислав',
      'Б. П. Квитко',
      'Б. Квитко',
      'Квитко Б. П.',
      'БОРИСЛАВ КВИТКО',
      'Квитко, Борислав Петрович',
    ],
  },
  { record: '欧阳锋', written: ['欧阳锋', '（欧阳锋）', '所有者：欧阳锋。'] },
  { record: '山田 太郎', written: ['山田太郎', '山田 太郎', '太郎 山田', '山田　太郎'] },
  { record: '김민준', written: ['김민준', '담당자 김민준'] },
  {
    record: 'Γιώργος Παπαδόπουλος',
    written: [
      'Γιώργος Παπαδόπουλος',
      'Παπαδόπουλος Γιώργος',
      'Γ. Παπαδόπουλος',
      'ΓΙΩΡΓΟΣ ΠΑΠΑΔΟΠΟΥΛΟΣ',
      'Γιώργος Α. Παπαδόπουλος',
    ],
  },
  { record: 'محمد علي حسن', written: ['محمد حسن', 'محمد علي حسن', 'علي حسن'] },
  { record: 'יעל כהן לוי', written: ['יעל כהן', 'יעל לוי', 'כהן יעל'] },
  {
    record: 'Nguyễn Thị Minh Khai',
    written: ['Nguyen Thi Minh Khai', 'Nguyễn Khai', 'Khai Nguyen', 'N. T. Minh Khai', 'Minh Khai'],
  },
  {
    record: 'Siobhán O’Zarrelly',
    written: [
      "Siobhan O'Zarrelly",
      'Siobhán OZarrelly',
      'S. O’Zarrelly',
      'O’Zarrelly, Siobhán',
      'Siobhán M. O’Zarrelly',
    ],
  },
  {
    record: 'Łukasz Żółwiński',
    written: [
      'Łukasz Żółwiński',
      'Ł. Żółwiński',
      'Żółwiński, Łukasz',
      'ŁUKASZ ŻÓŁWIŃSKI',
      'Łukasz P. Żółwiński',
    ],
  },
  {
    record: 'Åse Bjørnsdatter Håkonsen',
    written: [
      'Åse Håkonsen',
      'Ase Hakonsen',
      'Åse B. Håkonsen',
      'Å. Håkonsen',
      'Håkonsen, Åse',
      'aase.haakonsen',
    ],
  },
  {
    record: 'Mehmet Ali Yılmaz',
    written: ['Mehmet Yılmaz', 'Mehmet A. Yılmaz', 'M. A. Yılmaz', 'Yılmaz, Mehmet'],
  },
  {
    record: 'Priya Raghunathan Iyer',
    written: ['Priya Iyer', 'P. R. Iyer', 'Iyer Priya', 'Priya R. Iyer', 'priyaiyer', 'Raghunathan Iyer'],
  },
  {
    record: 'Jean-Pierre Dupontel',
    written: [
      'Jean-Pierre Dupontel',
      'Jean Pierre Dupontel',
      'J.-P. Dupontel',
      'JP. Jean Dupontel',
      'Dupontel Jean-Pierre',
      'Pierre Dupontel',
      'jeanpierre.dupontel',
      'J. Dupontel',
    ],
  },
  {
    record: 'Dr. Hans Peter Quandtner',
    written: [
      'Hans Quandtner',
      'Prof. Hans-Peter Quandtner',
      'H. P. Quandtner',
      'H.P. Quandtner',
      'Quandtner, Hans',
      'Peter Quandtner',
      'Hans P. Quandtner',
    ],
  },
  {
    record: 'Maria João Ferreira da Silveira',
    written: [
      'Maria Silveira',
      'Maria João Silveira',
      'M. J. Ferreira',
      'Maria Ferreira',
      'João Silveira',
      'Silveira, Maria João',
    ],
  },
  {
    record: 'Katarzyna Nowakowska-Zielinska',
    written: [
      'Katarzyna Nowakowska',
      'Katarzyna Zielinska',
      'K. Nowakowska',
      'Nowakowska Katarzyna',
      'K. Zielinska',
      'KATARZYNA NOWAKOWSKA',
    ],
  },
  {
    record: 'Oluwaseun Adébáyò',
    written: [
      'Oluwaseun Adebayo',
      'O. Adebayo',
      'Adebayo, Oluwaseun',
      'Oluwaseun T. Adebayo',
      'oluwaseunadebayo',
    ],
  },
  {
    record: 'Ivana Đorđević-Kovač',
    written: ['Ivana Đorđević', 'Ivana Kovač', 'Ivana Kovac', 'I. Kovač', 'Kovač, Ivana'],
  },
  {
    record: 'William Henry Gatesworth III',
    written: [
      'William Gatesworth',
      'William H. Gatesworth',
      'W. H. Gatesworth',
      'Gatesworth William',
      'Henry Gatesworth',
      'W. Gatesworth',
    ],
  },
  {
    record: 'Sofía Isabel Mendoza Ruiz',
    written: [
      'Sofia Mendoza',
      'Sofía I. Mendoza',
      'S. Mendoza',
      'Isabel Mendoza',
      'Sofía Ruiz',
      'MENDOZA RUIZ Sofía',
      'sofia.mendoza',
    ],
  },
  {
    record: 'Tamas Quorvath',
    written: [
      'Tamás Quorvath',
      'Tamas G. Quorvath',
      'QUORVATH Tamas',
      'T. Quorvath',
      'tamasquorvath',
      'quorvath.tamas',
      'Quorvath, T.',
    ],
  },
]
const SPELLINGS = PEOPLE.flatMap(({ record, written }) => written.map((text) => ({ record, text })))

async function shared(whois: unknown, text: string, more: object = {}) {
  const event = eventOf('shop.example') as Record<string, unknown>
  const observed = event.observed_data as Record<string, unknown>
  const odd = { ...event, comments: [{ content: text }], observed_data: { ...observed, whois, ...more } }
  const { event: seen } = await redactEvent(threatEventOf(odd))
  return JSON.stringify(seen)
}

describe('the owner of a domain, written otherwise than in the record', () => {
  it('is tried in at least 170 spellings of names of many languages', () => {
    expect(SPELLINGS.length).toBeGreaterThanOrEqual(170)
  })

  it.each(SPELLINGS)('$record as $text', async ({ record, text }) => {
    const said = await shared(
      { owner_name: record, owner_email: 'who@mail.test' },
      `Written by ${text}, in 2026.`,
    )
    expect(said).toContain(KEPT_BACK)
    expect(said).not.toContain(text)
  })

  const BOXES = [
    'jane.roe@mail.test',
    'jane.roe+tag@mail.test',
    'jane.roe+a.b@mail.test',
    'JANE.ROE+x@MAIL.TEST',
    'janeroe+1@mail.test',
    'jane.roe%2Btag%40mail.test',
    'jane.roe+tag [at] mail [dot] test',
  ]
  it.each(
    ['jane.roe@mail.test', 'jane.roe+domains@mail.test'].flatMap((record) =>
      BOXES.map((text) => ({ record, text })),
    ),
  )('the box $record as $text', async ({ record, text }) => {
    const said = await shared({ owner_email: record }, `write to ${text} now`)
    expect(said).not.toContain(text)
    expect(said).toContain(KEPT_BACK)
  })

  it.each([
    'Jane from accounting met Mr Moe.',
    'The roe of a sturgeon is caviar.',
    'J. Smith and R. Miller wrote it.',
    'Jane said: never buy there.',
    'rowing plane, roe deer',
  ])('leaves others alone: %s', async (text) => {
    expect(await shared({ owner_name: 'Jane Marie Roe', owner_email: 'who@mail.test' }, text)).toContain(text)
  })

  it.each(['Rosenfeld was here', 'a new Rosenfeldt', 'Now Rosenfeld!', 'markup-<!channel>.test', '<!here>'])(
    'takes no letter of another word for an initial, and no mention for a name: %s',
    async (text) => {
      const record = {
        owner_name: 'Walter Rosenfeld <!channel> <!here> <@U012AB3CD>',
        owner_email: 'w@mail.test> <!channel',
      }
      expect(await shared(record, text)).toContain(text)
      for (const owner of ['W. Rosenfeld', 'wrosenfeld', 'Rosenfeld W.', 'Walter Rosenfeld'])
        expect(await shared(record, `by ${owner}, 2026`)).not.toContain(owner)
    },
  )
})

const NAME = 'Jane Marie Roe'
const MAIL = 'jane@roe-mail.test'
/** Records that are not the interface's; each names the owner somewhere. */
const SHAPES: readonly { shape: string; whois?: unknown; beside?: object }[] = [
  { shape: 'a text: Name <mail>', whois: `${NAME} <${MAIL}>` },
  { shape: 'a text: Registrant: Name <mail>', whois: `Registrant: ${NAME} <${MAIL}>` },
  { shape: 'lines: Name:', whois: `Domain Name: example.test\nName: ${NAME}\nEmail: ${MAIL}` },
  { shape: 'lines: Contact:', whois: `Contact: ${NAME}\nRegistrar: Example Ltd` },
  { shape: 'lines: Registrant Name:', whois: `Registrant Name: ${NAME}\nRegistrant Email: ${MAIL}` },
  { shape: 'lines: Admin Contact Name:', whois: `Admin Contact Name: ${NAME}` },
  { shape: 'lines: Tech Name:', whois: `Tech Name: ${NAME}` },
  { shape: 'lines: owner-name:', whois: `owner-name: ${NAME}` },
  { shape: 'lines: holder:', whois: `holder: ${NAME}` },
  { shape: 'lines: person:', whois: `person: ${NAME}\naddress: Somewhere` },
  { shape: 'lines with CRLF', whois: `Registrant Name: ${NAME}\r\nCity: Springfield` },
  { shape: 'a list of texts', whois: [NAME, MAIL] },
  { shape: 'a list of Name <mail>', whois: [`${NAME} <${MAIL}>`] },
  { shape: 'a list of objects', whois: [{ owner_name: NAME }] },
  { shape: 'a list of pairs', whois: [['owner', NAME]] },
  { shape: 'a list of key and value', whois: [{ key: 'owner', value: NAME }] },
  { shape: 'XML', whois: `<whois><registrant><name>${NAME}</name></registrant></whois>` },
  { shape: 'XML with attributes', whois: `<contact:name type="loc">${NAME}</contact:name>` },
  { shape: 'XML with a mail beside it', whois: `<owner>${NAME} &lt;${MAIL}&gt;</owner>` },
  { shape: 'JSON in a text', whois: JSON.stringify({ owner_name: NAME }) },
  { shape: 'JSON with a label', whois: JSON.stringify({ 'Registrant Name': NAME }) },
  { shape: 'ownerName', whois: { ownerName: NAME } },
  { shape: 'registrant_name', whois: { registrant_name: NAME } },
  { shape: 'registrantName', whois: { registrantName: NAME } },
  { shape: 'registrant: text', whois: { registrant: NAME } },
  { shape: 'registrant: object', whois: { registrant: { name: NAME, email: MAIL } } },
  { shape: 'registrant: Name <mail>', whois: { registrant: `${NAME} <${MAIL}>` } },
  { shape: 'contacts: list', whois: { contacts: [{ type: 'admin', name: NAME }] } },
  { shape: 'contacts: deep', whois: { contacts: { admin: { person: { full_name: NAME } } } } },
  { shape: 'owner: object', whois: { owner: { name: NAME } } },
  { shape: 'owner_name: list', whois: { owner_name: [NAME, 'Max Power'] } },
  { shape: 'owner_name: first and last', whois: { owner_name: { first: 'Jane Marie', last: 'Roe' } } },
  { shape: 'owner_name: Name <mail>', whois: { owner_name: `${NAME} <${MAIL}>` } },
  { shape: 'owner_email: Name <mail>', whois: { owner_email: `${NAME} <${MAIL}>` } },
  { shape: 'raw text in a field', whois: { raw: `Registrant Name: ${NAME}\nRegistrant Email: ${MAIL}` } },
  { shape: 'vcard', whois: { vcardArray: ['vcard', [['fn', {}, 'text', NAME]]] } },
  {
    shape: 'a second contact beside the record',
    whois: { owner_name: 'Max Power' },
    beside: { whois_admin: { name: NAME } },
  },
  { shape: 'registrant beside the record', whois: {}, beside: { registrant: NAME } },
  { shape: 'contacts beside the record', whois: null, beside: { contacts: [{ name: NAME }] } },
  { shape: 'a second contact within', whois: { owner_name: 'Max Power', tech: { name: NAME } } },
  { shape: 'another language', whois: `Inhaber:\nperson: ${NAME}` },
]

describe('a record of another shape', () => {
  it('is tried in at least 40 of them', () => {
    expect(SHAPES.length).toBeGreaterThanOrEqual(40)
  })

  it.each(SHAPES)('teaches whose name is kept back: $shape', async ({ whois, beside }) => {
    const said = await shared(whois, 'Jane M. Roe signed it.', beside)
    expect(said).not.toMatch(/Jane M\. Roe|Jane Marie Roe|jane@roe-mail/i)
  })

  it.each(SHAPES.filter(({ whois }) => typeof whois !== 'object'))(
    'keeps the free texts of the page back, as nobody can tell whose they are: $shape',
    async ({ whois }) => {
      const website = {
        page_title: 'My garden',
        page_description: 'By somebody',
        final_url: 'https://a.test/',
      }
      const said = await shared(whois, 'x', { website })
      expect(said).not.toMatch(/My garden|By somebody/)
      expect(said).toContain('https://a.test/')
    },
  )
})
