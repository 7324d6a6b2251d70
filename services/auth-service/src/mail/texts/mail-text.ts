/** The purposes of mailed codes. */
export type CodeTemplate = 'verification' | 'recovery'

/** The mails to users about their account that hold no code. */
export type NoticeTemplate = 'password_changed' | 'account_locked' | 'token_reused'

export type MailTemplate = CodeTemplate | NoticeTemplate

/** The name of the project, if mails show it. */
type Project = string | null

export type CodeText = {
  /** `noun` is the word for a code or a link, from `nouns`. */
  subject: (noun: string) => string
  /** The text before the code or the link. */
  intro: (noun: string, project: Project) => string
  validity: (minutes: number) => string
  /** The advice if the reader did not ask for the mail, one string per paragraph. */
  otherwise: (noun: string) => readonly string[]
}

export type NoticeText = {
  subject: string
  paragraphs: (project: Project) => readonly string[]
}

/** The texts of all mails in one language. */
export type MailTexts = {
  greeting: string
  nouns: { code: string; link: string }
} & Readonly<Record<CodeTemplate, CodeText>> &
  Readonly<Record<NoticeTemplate, NoticeText>>
