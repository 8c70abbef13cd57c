-- Roles, and the trigger function that all append-only tables share. Three parties have access to
-- the schema. The user that runs the migrations owns the tables. The connections of the service
-- switch to holdfast_service, which has no DDL rights and cannot change append-only tables.
-- holdfast_auditor only reads. The grants of a table stand next to the table in its file.
--
-- This file comes first, so a user without the right to create or take the roles is refused before
-- anything is created.
--
-- Locks: creates roles and a function only.

-- Roles belong to the whole server. Another database of the same server may be migrated at the same
-- time, so a role that exists by now is not an error.
DO
$$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY ['holdfast_service', 'holdfast_auditor'] LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION
                WHEN duplicate_object OR unique_violation THEN NULL;
                WHEN insufficient_privilege THEN
                    RAISE EXCEPTION 'the user % may not create roles; let one who may run: '
                                    'CREATE ROLE holdfast_service NOLOGIN, '
                                    'CREATE ROLE holdfast_auditor NOLOGIN and '
                                    'GRANT holdfast_service, holdfast_auditor TO %',
                                    current_user, quote_ident(current_user)
                        USING ERRCODE = 'insufficient_privilege';
            END;
        END IF;
        BEGIN
            EXECUTE format('GRANT %I TO CURRENT_USER', wanted);
        EXCEPTION
            WHEN unique_violation THEN NULL;
            WHEN insufficient_privilege THEN
                IF NOT pg_has_role(current_user, wanted, 'MEMBER') THEN
                    RAISE EXCEPTION 'the user % may not become %; let one who may run: '
                                    'GRANT holdfast_service, holdfast_auditor TO %',
                                    current_user, wanted, quote_ident(current_user)
                        USING ERRCODE = 'insufficient_privilege';
                END IF;
        END;
    END LOOP;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO holdfast_service, holdfast_auditor',
                   current_schema());
END
$$;

-- Refuses every change of an append-only table. The grants already refuse it to the service; the
-- trigger also refuses it to the owner.
CREATE FUNCTION journal_is_append_only() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    RAISE EXCEPTION 'what is written in % is neither changed nor deleted', TG_TABLE_NAME
        USING ERRCODE = 'check_violation', CONSTRAINT = 'journal_is_append_only';
END
$$;
