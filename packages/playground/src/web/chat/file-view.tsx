import { useState } from 'react'
import type { FileInfo } from '../../protocol.ts'
import { Icon } from '../icon.tsx'
import { size } from '../use-upload.ts'

const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const WORDS = /^text\/|json$|x-pem-file$|pkcs10$|xml$/
const SHOWN_CHARACTERS = 4000

/** The beginning of a text file, loaded on request. */
function TextPreview({ file }: { file: FileInfo }) {
  const [text, setText] = useState<string>()
  const read = async () => {
    const response = await fetch(file.href)
    const whole = response.ok ? await response.text() : 'The file is no longer there.'
    setText(whole.length > SHOWN_CHARACTERS ? `${whole.slice(0, SHOWN_CHARACTERS)}\n…` : whole)
  }
  return (
    <details
      className="file-preview soft"
      onToggle={(event) => {
        if (event.currentTarget.open && text === undefined) void read()
      }}
    >
      <summary>Preview {file.name}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text ?? 'Reading…'}</pre>
    </details>
  )
}

/** A file of a message: images are shown, texts on request, and everything can be downloaded. */
export function FileView({ file }: { file: FileInfo }) {
  return (
    <div className="file">
      {PICTURES.has(file.mimetype) && (
        <img className="picture" src={file.href} alt={file.altText || file.title} />
      )}
      <a href={file.href} download={file.name} className="file-link">
        <Icon name="file" />
        <span>
          <strong>{file.title || file.name}</strong>
          <span className="menu-detail">
            {file.filetype.toUpperCase()} · {size(file.size)} · download
          </span>
        </span>
      </a>
      {WORDS.test(file.mimetype) && <TextPreview file={file} />}
    </div>
  )
}
