/**
 * Words that documents print beside or above the values of their fields, in common languages of travel documents, sorted; separated
 * by semicolons. Collected from specimens and documents: no list of them is published.
 */
import type { VisualFieldName } from './field.ts'

/** Labels of further parts of names that stand apart, and of fields that are not reported: what stands there belongs to no other field. */
export type LabelName = VisualFieldName | 'second_surname' | 'middle_names' | 'other'

/** Words for the person of the document, which may end any label. */
export const holderTexts = `
  da titular; del titolare; del titular; der Inhaberin; des Inhabers; do titular; du titulaire; of bearer; of holder; of the bearer;
  of the holder; van de houder; владельца
`

export const labelTexts: Readonly<Record<LabelName, string>> = {
  surname: `
    Achternaam; Ap. paterno; Apelido; Apelidos; Apellido; Apellido paterno; Apellido paterno y materno;
    Apellidos; Apellidos paterno y materno; Cognome; Csaladi nev; Efternamn; Efternavn; Etternavn;
    Familienname; Family name; First surname; Identifiant primaire; Last name; LN; Naam; Nachname; Name;
    Nazwisko; Nom; Nom de famille; Noms; Nom usuel; Nume; Pavarde; Perekonnanimi; Prezime; Priimek; Prijmeni;
    Primary identifier; Primer apellido; Primer y segundo apellido; Sobrenome; Soyadi; Sukunimi; Surname;
    Surnames; Uzvards; Zuname; Прізвище; Фамилия; Фамилно име
  `,
  given_names: `
    Adi; Adlari; Christian names; Eesnimed; Eesnimi; Etunimet; Etunimi; First and middle name;
    First and middle names; First name; First names; FN; Forename(s); Forenames; Fornamn; Fornavn; Given name;
    Given name(s); Given names; Identifiant secondaire; Ime; Imie; Imie (imiona); Imiona; Jmena; Jmeno; Meno;
    Names; Namn; Navn; Nimi; Nombre; Nombre(s); Nombres; Nome; Nomes; Nome(s) proprio(s); Nomi; Other names;
    Prenom; Prenombres; Prenom(s); Prenoms; Prenume; Primer nombre; Primer y segundo nombre;
    Secondary identifier; Utonev; Vardai; Vardas; Vardi; Vards; Voornaam; Voornamen; Vorname; Vorname(n);
    Vornamen; Ім'я; Име; Имена; Имя; Имя отчество
  `,
  second_surname: `
    Ap. materno; Apellido materno; Second surname; Segundo apellido
  `,
  middle_names: `
    Middle initial; Middle name; Middle names; Otros nombres; Segundo nombre
  `,
  full_name: `
    Adi soyadi; Apellidos y nombre; Apellidos y nombres; Cognome e nome; Csaladi es utonev;
    Csaladi nev es utonev; Ees- ja perekonnanimi; Etu- ja sukunimi; Family name and given name;
    Family name and given names; First and last name; First and last names; For- och efternamn;
    For- og efternavn; For- og etternavn; Full name; Ime in priimek; Ime i prezime; Imie i nazwisko;
    Jmeno a prijmeni; Last and first name; Meno a priezvisko; Naam en voornamen; Nama; Name and surname;
    Name in full; Name of holder; Name und Vorname; Nazwisko i imie; Nazwisko i imiona; Nombre completo;
    Nombres y apellidos; Nombre y apellidos; Nome completo; Nome e cognome; Nome e sobrenome; Nom et prenom;
    Nom et prenoms; Numele si prenumele; Nume si prenume; Perekonna- ja eesnimi; Prezime i ime;
    Priimek in ime; Prijmeni a jmeno; Suku- ja etunimet; Suku- ja etunimi; Surname and first name;
    Surname and first names; Surname and given name; Surname and given names; Vardas ir pavarde;
    Vards un uzvards; Voor- en achternaam; Vor- und Familienname; Vor- und Nachname; Vor- und Zuname;
    Имя и фамилия; Фамилия и имя; Фамилия имя отчество
  `,
  document_number: `
    Ausweis Nr; Ausweisnummer; Broj isprave; Broj putovnice; Card No; Card number; Carte N°; Cislo dokladu;
    Cislo pasu; Control No; DL; DL#; DLN; DL No; Doc No; Document No; Document number; Documentnummer;
    Dokumentennummer; Dokumentnummer; Driver licence number; Driver license number; Identity card No; IDESP;
    ID No; ID number; LIC#; Licence No; Licence number; License No; License number; LIC No; N° de carte;
    N° de document; N° de pasaporte; N° de passeport; No de documento; No de passeport; No du document;
    № паспорта; N° passaporto; Nr paszportu; Number of document; Numer dokumentu; Numero de documento;
    Numero de pasaporte; Numero de passeport; Numero di passaporto; Numero documento; Numero du document;
    Numero passaporto; Numer paszportu; Num soporte; Pasaporte N°; Pasaporte No; Pasaport No; Pasnr;
    Paspoort nr; Paspoortnummer; Passaporte N°; Passaporto N; Passaporto N°; Passeport N°; Passeport No;
    Passets nr; Passin numero; Passi number; Pass Nr; Passnummer; Passport No; Passport Nr; Passport number;
    Permit No; Personalausweis Nr; Reisepass Nr; Reisepassnummer; Seriennummer; Seri No; Utlevelszam; Visa No;
    Номер документа; Номер паспорта; Паспорт №
  `,
  personal_number: `
    Asmens kodas; BSN; Burgerservicenummer; Cedula; CNP; Codice fiscale; Curp; DNI; EGN; EMSO; Henkilotunnus;
    Identity No; Identity number; Isikukood; National identity number; National ID No; NIE; No personnel;
    N° personnel; Nr PESEL; Numero personal; Numero personnel; Numer PESEL; OIB; Personal code;
    Personal identification number; Personal No; Personal number; Personalnummer; Personas kods; Personnummer;
    Persoonsnummer; PESEL; Rodne cislo; RUT; TC Kimlik No; USCIS; USCIS#; Личный код; Личный номер
  `,
  nationality: `
    Allampolgarsag; Cetatenia; Cetatenie; Citizenship; Cittadinanza; Drzavljanstvo; Kansalaisuus; Kodakondsus;
    Medborgarskap; Nacionalidad; Nacionalidade; Nationalitat; Nationalite; Nationaliteit; Nationalitet;
    Nationality; Nazionalita; Obywatelstwo; Pilietybe; Pilsoniba; Staatsangehorigkeit; Statna prislusnost;
    Statni obcanstvi; Statni prislusnost; Uyrugu; Warganegara; Гражданство; Громадянство
  `,
  sex: `
    Cinsiyet; Cinsiyeti; Dzimums; Gender; Genre; Geschlecht; Geslacht; Kjonn; Kon; Lytis; Nem; Plec; Pohlavi;
    Pohlavie; Sesso; Sex; Sexe; Sexo; Spol; Sugu; Sukupuoli; Пол; Стать
  `,
  birth_date: `
    Birth date; Birthdate; Data de nascimento; Data di nascita; Data e luogo di nascita;
    Data local e UF de nascimento; Data nascimento; Data nasterii; Data urodzenia; Date and place of birth;
    Date de naissance; Date et lieu de naissance; Date of birth; Datum narodenia; Datum narozeni;
    Datum rodenja; Datum rojstva; D.O.B.; DOB; Dogum tarihi; Dzimsanas datums; Fecha de nacimiento; Fecha nac;
    Fecha y lugar de nacimiento; Fodelsedatum; Fodselsdag; Fodselsdato; Geboortedatum; Geboren am;
    Geburtsdatum; Geburtsdatum und Geburtsort; Geburtstag; Gimimo data; Lieu et date de naissance;
    Lugar y fecha de nacimiento; Luogo e data di nascita; Nato il; Ne(e) le; Ne le; Place and date of birth;
    Sunniaeg; Sunnikuupaev; Syntymaaika; Szuletesi datum; Szuletesi ido; Tag der Geburt; Дата народження;
    Дата рождения
  `,
  issue_date: `
    Afgegeven op; Antopaiva; Ausgestellt am; Ausstellungsdatum; Data de emissao; Data de expedicao;
    Data di rilascio; Data eliberarii; Data emissao; Data wydania; Date de delivrance; Date d'emission;
    Date issued; Date of issue; Datum afgifte; Datum der Ausstellung; Datum izdaje; Datum izdavanja;
    Datum uitgifte; Datum van afgifte; Datum vydani; Datum vydania; Delivre le; Duzenleme tarihi;
    Emision; Emissione; Expedicion; Fecha de emision; Fecha de expedicion; Isdavimo data; ISS; Issued;
    Issue date; Issued on; Issuing; Izdosanas datums; Kiallitas datuma; Myonnetty; Myontamispaiva;
    Rilasciato il; Rilascio; Udstedelsesdato; Utfardad den; Utfardandedatum; Utstedelsesdato; Utstedt;
    Valjaandmise kuupaev; Verilis tarihi; Дата видачі; Дата выдачи
  `,
  expiry_date: `
    Ablaufdatum; Caduca; Card expires; Data de validade; Data di scadenza; Data expirarii; Data uplywu waznosci;
    Data waznosci; Date d expiration; Date d'expiration; Date of expiration; Date of expiry; Datum des Ablaufs;
    Datum isteka; Datum platnosti; Datum poteka; Deriga lidz; Ervenyesseg; EXP; Expiration; Expiration date;
    Expire le; Expires; Expires on; Expiry; Expiry date; Fecha de caducidad; Fecha de vencimiento; Galioja iki;
    Gecerlilik tarihi; Geldig tot; Giltig till; Giltigt till; Giltigt t.o.m.; Gueltig bis; Gultig bis;
    Gyldig til; Kehtiv kuni; Lejarat; Platnost do; Platny do; Scadenza; Son gecerlilik; Termin waznosci;
    Udlober; Until; Utloper; Valabil pana la; Valable jusqu'au; Validade; Validez; Valido ate; Valido hasta;
    Valid thru; Valid till; Valid until; Velja do; Vencimiento; Viimeinen voimassaolopaiva; Voimassa;
    Vrijedi do; Дійсний до; Дата окончания срока действия; Действителен до; Срок действия
  `,
  authority: `
    Afgegeven door; Ausgestellt von; Ausstellende Behorde; Authority; Autoridad; Autoridade;
    Autoridad expedidora; Autorita; Autoritatea; Autorite; Autorite de delivrance; Behorde; Delivre par;
    Emitent; Equipo; Expedido por; Instantie; Israige; Issued by; Issuing authority; Issuing office; Izdalo;
    Izdevejiestade; Kiallito hatosag; Myndighed; Myndighet; Organ; Organ izdaje; Organ wydajacy; Rilasciato da;
    Tijelo; Udstedt af; Urad; Utfardande myndighet; Utstedt av; Valja andnud; Veren makam; Viranomainen; Vydal;
    Выдан; Кем выдан; Орган выдавший документ; Орган що видав
  `,
  birth_place: `
    Birth place; Birthplace; Country of birth; Dogum yeri; Dzimsanas vieta; Fodelseort; Fodested; Fodselssted;
    Geboorteplaats; Geburtsort; Gimimo vieta; Kraj rojstva; Lieu de naissance; Local de nascimento;
    Locul nasterii; Lugar de nacimiento; Luogo di nascita; Miejsce urodzenia; Miesto narodenia; Misto narozeni;
    Mjesto rodenja; Naturalidade; Place of birth; Sunnikoht; Syntymapaikka; Szuletesi hely; Місце народження;
    Место рождения
  `,
  address: `
    Address; Adres; Adress; Adresse; Anschrift; Bydliste; Direccion; Domicile; Domicilio; Domiciliu; Endereco;
    Indirizzo; Lakcim; Morada; Osoite; Prebivaliste; Residence; Residenza; Wohnort; Woonplaats; Адрес;
    Место жительства
  `,
  issuing_state: `
    Code; Code du pays; Code of issuing state; Code pays; Codice del paese; Codice paese; Codigo del pais;
    Codigo do pais; Country code; Issuing state; Kod drzave; Kod kraju; Kod statu; Landcode; Landskod; Maakoodi;
    Staatscode; Ulke kodu; Код государства
  `,
  height: `
    Altura; Estatura; Grosse; Height; HGT; Langd; Lengte; Statura; Taille; Talla; Wzrost; Рост
  `,
  vehicle_class: `
    Categories; Category; Clase; Class; Classe; Klasse
  `,
  other: `
    Access number; Anyja neve; Assinatura; Augenfarbe; Blood group; CAN; Category; Category of;
    Clave de elector; Color of eyes; Colour of eyes; Couleur des yeux; DD; Donor; Duration of stay; Employer;
    END; ENDL; Endorsements; Eye color; Eyes; Father name; Father's name; Filiacao; Filiacion; Firma;
    Firma del titolare; Firma del titular; Geburtsname; Hair; Handtekening; Holder's signature; Husband's name;
    Ime majke; Ime oca; Maiden name; Marital status; Mother name; Mother's name; Name at birth; Name der Mutter;
    Name des Vaters; Name of father; Name of mother; Namnteckning; Nombre de la madre; Nombre del conyuge;
    Nombre del padre; Nom de la mere; Nom de naissance; Nom d'epoux; Nom du conjoint; Nom du pere; Nom d'usage;
    Nome da mae; Nome do pai; Nome social; Number of entries; Observations; Ordensname; Podpis; Profession;
    Religious name; Remarks; Resident since; Rest; Restrictions; REV; RSTR; Signature; Signature du titulaire;
    Signature of bearer; Social name; Spouse; Spouse's name; Szuletesi nev; Tip; Tipo; Typ; Type; Unterschrift;
    Unterschrift der Inhaberin; Valid from; Weight; WGT; Zugangsnummer; Подпись; Подпись владельца; Тип
  `,
}
