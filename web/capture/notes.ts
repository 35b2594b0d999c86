interface Note {
  title: string
  person: string
  developer: string
  link: string
}

/** What is said instead of opening a camera whose pictures could only be refused. The page has it in English. */
export const notes: Readonly<Record<string, Note>> = {
  de: {
    title: 'Von hier kann nichts gesendet werden',
    person:
      'Es wurde nichts aufgenommen. Bitten Sie diejenigen, die Sie hierher geschickt haben, um einen anderen Link.',
    developer:
      'Für Entwickler: Dieser Server nimmt Aufnahmen von Aufrufern mit einem Token an. Geben Sie der Seite das eines Benutzers mit der Rolle CLIENT.',
    link: 'Wer senden darf',
  },
  ru: {
    title: 'Отсюда ничего нельзя отправить',
    person: 'Съёмки не было. Попросите другую ссылку у тех, кто вас сюда направил.',
    developer:
      'Для разработчиков: этот сервер принимает записи только с токеном. Передайте странице токен пользователя с ролью CLIENT.',
    link: 'Кто может отправлять',
  },
  es: {
    title: 'Desde aquí no se puede enviar nada',
    person: 'No se ha grabado nada. Pida otro enlace a quienes le han traído aquí.',
    developer:
      'Para desarrolladores: este servidor acepta capturas de quien llama con un token. Dé a la página el de un usuario con el rol CLIENT.',
    link: 'Quién puede enviar',
  },
}
